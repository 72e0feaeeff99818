import { table } from '../shared/table.ts';
import { CAP, type DemoTurn, type Pending, type Story } from './story.ts';

/** What waits before the first turn. */
export function tellPending(pending: readonly Pending[], width: number): string {
  const rows = pending.map(({ seq, from, kind, score, characters }) => [
    String(seq),
    from,
    kind,
    score.toFixed(2),
    `${characters} characters`,
  ]);
  return [
    `bob has ${pending.length} messages. Each turn may inject ${CAP} tokens.`,
    '',
    table(['SEQ', 'FROM', 'KIND', 'SCORE', 'SIZE'], rows, width),
    '',
  ].join('\n');
}

/** One turn: the block as it is, what is in it, what stayed back, and what the cursor did. */
export function tellTurn(turn: DemoTurn, width: number): string {
  const { before, after } = turn.cursor;
  const lines = [rule(`turn ${turn.turn}`, width)];
  if (turn.block === null) lines.push('The hook printed nothing.');
  else {
    lines.push(
      turn.thrownAway ? 'The hook printed this block, and the client threw it away:' : 'The model gets this block:',
      '',
      ...turn.block.split('\n').map(line => `  ${line}`),
      '',
      `${turn.tokens} of ${CAP} tokens (estimate), highest score first:`,
      table(['SEQ', 'SCORE', 'TIER', 'TOKENS', ''], turn.shown.map(row), width),
    );
  }
  lines.push('');
  if (turn.noRoom.length > 0) lines.push(`Stayed back: ${turn.noRoom.join(', ')}, no room under the cap.`);
  if (turn.shownBefore.length > 0) {
    lines.push(
      `Not repeated: ${turn.shownBefore.join(', ')}, proven shown, and acknowledged once what is below them is.`,
    );
  }
  lines.push(`Cursor ${before} → ${after}: ${why(turn)}`, '');
  return lines.join('\n');
}

const row = ({ seq, score, tier, tokens, repeat }: DemoTurn['shown'][number]) => [
  String(seq),
  score.toFixed(2),
  tier,
  String(tokens),
  repeat ? 'possible repeat' : '',
];

function why({ cursor: { before, after }, thrownAway }: DemoTurn): string {
  if (thrownAway && after === before) return 'nothing is acknowledged, because no transcript proves that it was shown.';
  if (after === before) return 'a lower message is still to be shown; what was proven above it is kept in the journal.';
  return `everything up to ${after} is proven shown, by the whole block in the transcript and an answer after it.`;
}

/** The closing line. */
export function tellEnd({ turns, head, pending }: Story): string {
  const given = new Set(turns.filter(turn => !turn.thrownAway).flatMap(turn => turn.shown.map(item => item.seq)));
  const repeated = turns.flatMap(turn => turn.shown.filter(item => item.repeat)).length;
  const last = turns.at(-1)?.cursor.after ?? 0;
  return [
    rule('end', 40),
    `${given.size} of ${pending.length} messages were given to the model in ${turns.length} turns; cursor ${last} of ${head}.`,
    `What the client threw away came again, marked as a possible repeat (${repeated} of them).`,
  ].join('\n');
}

function rule(title: string, width: number): string {
  return `── ${title} ${'─'.repeat(Math.max(0, Math.min(width, 100) - title.length - 4))}`;
}
