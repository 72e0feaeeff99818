import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS } from './rig/clients.ts';
import { landed } from './rig/landed.ts';

/** (h) A backlog: best first, under every cap, and turn by turn to the end. */
const SIZE = 2_000;
/** More turns than a hook needs that shows 20 items a turn. */
const TURNS_AT_MOST = SIZE / 20;

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

/** Scores without an order in time, all different: 7919 is prime to 2,000. */
const scoreOf = (index: number) => ((index * 7919) % SIZE) / SIZE;

const bodyOf = (index: number) => `item-${String(index).padStart(4, '0')} ${'word '.repeat(index % 40)}`;

/** Indices of the items in a block, in the order of their first mention. */
function shown(block: string): number[] {
  return [...new Set([...block.matchAll(/item-(\d{4})/g)].map(match => Number(match[1])))];
}

describe.each(CLIENTS)('$title', ({ open }) => {
  test(`(h) ${SIZE} messages: highest scores first, under every cap, emptied without loss or repeat`, {
    timeout: 600_000,
  }, async () => {
    const bench = await openBench(open);
    benches.push(bench);
    const hook = await bench.register();
    await bench.post.send(
      ...Array.from({ length: SIZE }, (_, index) => ({ content: bodyOf(index), score: scoreOf(index) })),
    );

    const seen: number[] = [];
    let turns = 0;
    while ((await bench.post.cursor()) < SIZE) {
      turns += 1;
      expect(turns).toBeLessThanOrEqual(TURNS_AT_MOST);
      // A new session each time: the backlog does not depend on one of them.
      const turn = await bench.turn({ prompt: `Turn ${turns}.` });
      const prompts = (await hook.runs()).filter(run => run.event === 'UserPromptSubmit');
      const block = prompts[turns - 1]?.block ?? '';
      expect(landed(turn.requests[0]!, block).map(part => part.role)).toEqual([bench.session.role]);
      expect(Buffer.byteLength(block)).toBeLessThanOrEqual(9_000);
      expect(countTokens(block)).toBeLessThanOrEqual(2_000);

      const items = shown(block);
      const scores = items.map(scoreOf);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      if (turns === 1) expectBestOfWindow(items);
      seen.push(...items);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: SIZE }, (_, index) => index));
  });
});

/** The first block opens with the best of the rows that one or two pages of 50 (the default limit) show. */
function expectBestOfWindow(items: readonly number[]): void {
  const best = [50, 100].map(rows => Array.from({ length: rows }, (_, index) => index).sort(byScore)[0]);
  expect(best).toContain(items[0]);
}

const byScore = (a: number, b: number) => scoreOf(b) - scoreOf(a);
