import { estimateTokens } from '../../core/tokens.ts';

export interface ShownItem {
  readonly seq: number;
  readonly score: number;
  readonly tier: string;
  /** Estimated tokens of the item's element. */
  readonly tokens: number;
  /** Marked as a possible repeat: an earlier block with it was printed without proof. */
  readonly repeat: boolean;
}

/** The items of a block, as they stand in it. */
export function itemsOf(block: string): ShownItem[] {
  return [...block.matchAll(/^<message ([^>]*)>[\s\S]*?<\/message>$/gm)].map(([element, head = '']) => {
    const attributes = new Map([...head.matchAll(/(\w+)="([^"]*)"/g)].map(match => [match[1], match[2]]));
    return {
      seq: Number(attributes.get('seq')),
      score: Number(attributes.get('score')),
      tier: attributes.get('tier') ?? 'full',
      tokens: estimateTokens(element),
      repeat: attributes.has('repeat'),
    };
  });
}

/** Whatever could begin a tag. */
const TAG = /<(?=\s*[\p{L}/!?|])/gu;
/** Controls but for the line feed, and what turns or hides text. */
const UNSEEN = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f]/u;

/**
 * Whether the frame is whole: a block of n items has two tags for each, two of its own and two for the receipt. One
 * more, and a peer has made it.
 */
export function frameHolds(block: string): boolean {
  const tags = block.match(TAG)?.length ?? 0;
  return tags === 2 * itemsOf(block).length + 4 && !UNSEEN.test(block);
}
