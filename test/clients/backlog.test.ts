import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, describe, expect, test } from 'vitest';
import { parseBlock } from '../helpers/block.ts';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS } from './rig/clients.ts';
import { landed } from './rig/landed.ts';

/** (h) A backlog: best first, under every cap, and turn by turn to the end. */
const SIZE = 2_000;
/** More turns than a hook needs that shows 20 items a turn. */
const TURNS_AT_MOST = SIZE / 20;
/** Rows that a turn has seen at least: one page of the default limit. */
const PAGE = 50;

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

/** Scores without an order in time, all different: 7919 is prime to 2,000. */
const scoreOf = (seq: number) => ((seq * 7919) % SIZE) / SIZE;

const bodyOf = (seq: number) => `item-${seq} ${'word '.repeat(seq % 40)}`;

/** Sequences of the items in a block, in its order. */
const shownIn = (block: string) => parseBlock(block).items.map(item => Number(item.attributes.seq));

describe.each(CLIENTS)('$title', ({ open }) => {
  test(`(h) ${SIZE} messages: highest scores first, under every cap, emptied without loss or repeat`, {
    timeout: 900_000,
  }, async () => {
    const bench = await openBench(open);
    benches.push(bench);
    const hook = await bench.register();
    const mail = Array.from({ length: SIZE }, (_, index) => ({
      content: bodyOf(index + 1),
      score: scoreOf(index + 1),
    }));
    await bench.post.send(...mail);

    const seen = new Set<number>();
    let turns = 0;
    for (let cursor = 0; cursor < SIZE; cursor = await bench.post.cursor()) {
      turns += 1;
      expect(turns).toBeLessThanOrEqual(TURNS_AT_MOST);
      // A new session each time: the backlog does not depend on one of them.
      const turn = await bench.turn({ prompt: `Turn ${turns}.` });
      const block = (await hook.last('UserPromptSubmit'))?.block ?? '';
      expect(landed(turn.requests[0]!, block).map(part => part.role)).toEqual([bench.session.role]);
      expect(Buffer.byteLength(block)).toBeLessThanOrEqual(9_000);
      expect(countTokens(block)).toBeLessThanOrEqual(2_000);

      const shown = shownIn(block);
      const scores = shown.map(scoreOf);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      const fresh = range(cursor + 1, Math.min(cursor + PAGE, SIZE)).filter(seq => !seen.has(seq));
      expectBest(shown, fresh);
      for (const seq of shown) {
        expect(seen).not.toContain(seq);
        seen.add(seq);
      }
    }
    expect(seen.size).toBe(SIZE);
  });
});

/**
 * What was passed over scores lower than all that was shown, but for the floor lane: that shows the lowest sequences,
 * whatever their scores, so that the cursor moves.
 */
function expectBest(shown: readonly number[], fresh: readonly number[]): void {
  const passed = fresh.filter(seq => !shown.includes(seq));
  const best = Math.max(0, ...passed.map(scoreOf));
  const lowest = fresh.slice(0, fresh.indexOf(passed[0] ?? -1));
  const unearned = shown.filter(seq => scoreOf(seq) < best && !lowest.includes(seq));
  expect(unearned).toEqual([]);
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
