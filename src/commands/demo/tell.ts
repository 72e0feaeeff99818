import { table } from '../shared/table.ts';
import type { ShownItem } from './block.ts';
import type { Ink } from './ink.ts';
import { CAP, type DemoTurn, type Pending, type Story } from './story.ts';

export interface Paper {
  /** Columns. */
  readonly width: number;
  readonly ink: Ink;
}

/** What waits before the first turn. */
export function tellPending(pending: readonly Pending[], hostile: Story['hostile'], { width, ink }: Paper): string {
  const rows = pending.map(({ seq, from, kind, score, characters }) => [
    String(seq),
    from,
    kind,
    score.toFixed(2),
    `${characters} characters`,
  ]);
  return [
    'A relay in this process; bob’s hook is hooks/pre-turn.cjs, a child process on Claude Code’s stdin.',
    `The demo plays the client and its transcript. A turn may inject ${CAP} tokens (the default is 2000).`,
    '',
    ink('bold', `Pending for bob: ${pending.length} messages, cursor 0`),
    table(['SEQ', 'FROM', 'KIND', 'SCORE', 'SIZE'], rows, width),
    '',
    `Message ${hostile.seq} would like to be somebody else. As it was sent, unseen characters escaped:`,
    ...wrap(visible(hostile.body), width - 2).map(line => `  ${line}`),
    '',
  ].join('\n');
}

/** One turn: the block as it is, what is in it, what stayed back, and what the cursor did. */
export function tellTurn(turn: DemoTurn, { width, ink }: Paper): string {
  const { before, after } = turn.cursor;
  const lines = [ink('bold', rule(`turn ${turn.turn}`, width))];
  if (turn.block === null) lines.push(ink('red', 'The hook printed nothing.'));
  else {
    lines.push(
      turn.thrownAway
        ? ink('yellow', 'The hook printed this block, and the client threw it away:')
        : 'The model gets this block:',
      '',
      ...turn.block.split('\n').map(line => `  ${tags(line, ink)}`),
      '',
      `${turn.tokens} of ${CAP} tokens (estimate), ${turn.bytes} bytes; highest score first:`,
      table(['SEQ', 'SCORE', 'TIER', 'TOKENS', ''], turn.shown.map(row), width),
    );
  }
  lines.push('');
  if (turn.noRoom.length > 0) lines.push(`Stayed back: ${list(turn.noRoom)}, no room under the cap.`);
  if (turn.kept.length > 0) lines.push(`Not repeated: ${list(turn.kept)}, proven shown in an earlier turn.`);
  lines.push(`${ink(after > before ? 'green' : 'yellow', `Cursor ${before} → ${after}`)}: ${why(turn)}`, '');
  return lines.join('\n');
}

const row = ({ seq, score, tier, tokens, repeat }: ShownItem) => [
  String(seq),
  score.toFixed(2),
  tier,
  String(tokens),
  repeat ? 'possible repeat' : '',
];

function why({ cursor: { before, after }, shown, noRoom, kept, thrownAway, proven }: DemoTurn): string {
  if (!proven) {
    return thrownAway
      ? 'the transcript has the client’s cancel and no block; nothing is proven, nothing acknowledged.'
      : 'no proof was found; nothing is acknowledged.';
  }
  const above = [...shown.map(item => item.seq), ...kept].filter(seq => seq > after).sort((a, b) => a - b);
  const waits =
    above.length === 0
      ? ''
      : ` ${list(above)} ${above.length > 1 ? 'are proven too and wait' : 'is proven too and waits'} in the journal for ${Math.min(...noRoom)}.`;
  if (after === before) return `the block is proven shown.${waits}`;
  return `the whole block is in the transcript, an answer after it: proven up to ${after}.${waits}`;
}

/** The closing lines: what was proven, and what was not. */
export function tellEnd({ checks, turns }: Story, { width, ink }: Paper): string {
  const marks = checks.map(({ what, holds }) => {
    const [first, ...more] = wrap(what, width - 4);
    return [`${holds ? ink('green', 'yes ') : ink('red', 'NO  ')}${first}`, ...more.map(line => `    ${line}`)].join(
      '\n',
    );
  });
  return [ink('bold', rule(`shown in ${turns.length} turns`, width)), ...marks].join('\n');
}

/** No peer's text can begin a tag, so every tag is the frame's. */
function tags(line: string, ink: Ink): string {
  return line.replace(/<\/?(?:preturn-mail|message|receipt)\b[^>]*>/g, tag => ink('cyan', tag));
}

const list = (seqs: readonly number[]) => seqs.join(', ');

/** Everything beyond printable ASCII as JSON escapes it. */
function visible(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Lines of at most `width` characters, broken at blanks where there are any. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const at = blank > width / 2 ? blank : width;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

function rule(title: string, width: number): string {
  return `── ${title} ${'─'.repeat(Math.max(0, Math.min(width, 100) - title.length - 4))}`;
}
