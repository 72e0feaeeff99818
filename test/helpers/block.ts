/** One message element of a parsed block. */
export interface ParsedItem {
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ParsedBlock {
  readonly nonce: string;
  readonly about: string;
  readonly items: readonly ParsedItem[];
  /** The line that counts what was left; empty when there is none. */
  readonly left: string;
}

/** Where a tag may begin: what a peer wrote must never look like this. */
const TAG = /<(?=\s*[\p{L}/!?|])/gu;
const OPEN = /^<message((?: [a-z]+="[^"<>\n]*")+)(\/)?>/;

/**
 * Reads a block as strictly as can be and throws at anything that is not exactly our frame: every place where a tag may
 * begin has to be the next one that the frame calls for.
 */
export function parseBlock(block: string): ParsedBlock {
  let rest = block;
  const take = (pattern: RegExp): RegExpExecArray => {
    const match = pattern.exec(rest);
    if (match?.index !== 0) throw new Error(`expected ${pattern} at: ${rest.slice(0, 80)}`);
    rest = rest.slice(match[0].length);
    return match;
  };
  /** Text up to the next place where a tag may begin. */
  const text = (): string => {
    TAG.lastIndex = 0;
    const at = TAG.exec(rest)?.index ?? rest.length;
    const part = rest.slice(0, at);
    rest = rest.slice(at);
    return part;
  };
  const [, nonce] = take(/^<preturn-mail id="([a-z0-9]+)">\n/);
  const about = take(/^Mail(?: for [^\n]*)?: [^\n]*\n/)[0].trimEnd();
  const items: ParsedItem[] = [];
  while (OPEN.test(rest)) {
    const [, quoted, empty] = take(OPEN);
    const attributes: Record<string, string> = Object.create(null);
    for (const [, name, value] of quoted!.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
      if (name! in attributes) throw new Error(`twice: ${name}`);
      attributes[name!] = value!;
    }
    const body = empty === undefined ? text() : '';
    if (empty === undefined) take(/^<\/message>/);
    take(/^\n/);
    items.push({ attributes, body });
  }
  const left = text().trimEnd();
  const [, receipt] = take(/^<receipt id="([a-z0-9]+)">[^<]*<\/receipt>\n/);
  take(/^<\/preturn-mail>$/);
  if (receipt !== nonce) throw new Error('the receipt is not the nonce');
  return { nonce: nonce!, about, items, left };
}
