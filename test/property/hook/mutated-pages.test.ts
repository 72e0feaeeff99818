import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PreturnError } from '../../../src/errors.ts';
import { toPage } from '../../../src/sources/hyphae/wire.ts';
import type { PullRequest, Source } from '../../../src/sources/source.ts';
import { cases } from '../../helpers/cases.ts';
import { Bench, isEnvelope } from './bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

type Json = Record<string, unknown>;
const ROWS = 12;
const MAX_BATCH = 4;

/** One thing that is wrong with an otherwise valid page; `at` chooses the item. */
const mutation = fc.oneof(
  fc.record({
    kind: fc.constant('set'),
    path: fc.constantFrom('cursor', 'window_high', 'has_more', 'items'),
    value: fc.jsonValue(),
  }),
  fc.record({
    kind: fc.constant('shift'),
    path: fc.constantFrom('cursor', 'window_high'),
    by: fc.integer({ min: -6, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('item'),
    at: fc.nat(4),
    path: fc.constantFrom('delivery_seq', 'diff', 'delivery'),
    value: fc.jsonValue(),
  }),
  fc.record({ kind: fc.constant('double'), at: fc.nat(4) }),
  fc.record({ kind: fc.constant('drop'), at: fc.nat(4) }),
  fc.record({ kind: fc.constant('whole'), value: fc.jsonValue() }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(page: Json, change: Mutation): unknown {
  const items = [...(page.items as Json[])];
  const at = 'at' in change ? change.at % Math.max(1, items.length) : 0;
  switch (change.kind) {
    case 'set':
      return { ...page, [change.path]: change.value };
    case 'shift':
      return { ...page, [change.path]: Number(page[change.path]) + change.by };
    case 'item':
      if (items[at]) items[at] = { ...items[at], [change.path]: change.value };
      return { ...page, items };
    case 'double':
      return { ...page, items: [...items, ...items.slice(at, at + 1)] };
    case 'drop':
      return { ...page, items: items.filter((_, index) => index !== at) };
    default:
      return (change as { value: unknown }).value;
  }
}

/** A server that follows the seed, with rows 1 to 12, and spoils the answers it is told to spoil. */
class Server {
  cursor = 0;
  calls = 0;
  /** Every ack, beside the highest window_high that a valid page had told by then, and whether this run had a faulty one. */
  readonly acks: Array<{ ack: number; told: number; afterFault: boolean }> = [];
  private told = 0;
  private faulty = false;
  private readonly spoiled: ReadonlyMap<number, Mutation>;
  private readonly epoch: string | undefined;

  constructor(spoiled: ReadonlyMap<number, Mutation>, epoch: string | undefined) {
    this.spoiled = spoiled;
    this.epoch = epoch;
  }

  beginRun(): void {
    this.faulty = false;
  }

  source(): Source {
    return { name: 'env', origin: 'file:/relay.db', pull: request => this.answer(request) };
  }

  private async answer(request: PullRequest) {
    const n = Math.min(request.limit ?? MAX_BATCH, MAX_BATCH);
    if (request.ack) {
      this.acks.push({ ack: request.ack.seq, told: this.told, afterFault: this.faulty });
      this.cursor = Math.max(this.cursor, Math.min(request.ack.seq, Math.min(ROWS, this.cursor + n)));
    }
    const floor = request.since ?? this.cursor;
    const top = floor >= ROWS ? this.cursor : Math.min(ROWS, floor + n);
    const items = [];
    for (let seq = floor + 1; seq <= Math.min(ROWS, floor + n); seq++) {
      items.push({
        delivery_seq: seq,
        diff: { content: `m${seq}` },
        delivery: { delivery_id: `d${seq}`, score: (seq % 5) / 5 },
      });
    }
    const page = { items, cursor: this.cursor, window_high: top, has_more: top > floor && top < ROWS };
    const change = this.spoiled.get(this.calls++);
    const context = { source: 'env', origin: 'file:/relay.db', request };
    try {
      const read = toPage(change ? mutate(page, change) : page, 0, context, {
        ...(this.epoch === undefined ? {} : { epoch: this.epoch, ...(request.ack ? { ack: 'applied' as const } : {}) }),
      });
      this.told = Math.max(this.told, read.windowHigh);
      return read;
    } catch (error) {
      if (!(error instanceof PreturnError)) throw error;
      this.faulty = true;
      throw error;
    }
  }
}

const history = fc.record({
  spoiled: fc.array(fc.tuple(fc.nat(14), mutation), { minLength: 1, maxLength: 5 }).map(pairs => new Map(pairs)),
  epoch: fc.constantFrom(undefined, 'e1'),
  mode: fc.constantFrom('next-turn', 'after-print'),
  runs: fc.array(fc.constantFrom<'UserPromptSubmit' | 'Stop'>('UserPromptSubmit', 'UserPromptSubmit', 'Stop'), {
    minLength: 2,
    maxLength: 6,
  }),
});

it('pages with any one thing wrong: one envelope or nothing, no ack above a window_high, none after a fault in a run', async () => {
  let acks = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ spoiled, epoch, mode, runs }) => {
      bench.reset();
      const server = new Server(spoiled, epoch);
      for (const event of runs) {
        server.beginRun();
        const { printed, report } = await bench.run(event, server.source(), { PRETURN_ACK: mode });
        expect(isEnvelope(printed)).toBe(true);
        expect(report.outcome).toBe('ran');
      }
      for (const { ack, told, afterFault } of server.acks) {
        expect(ack).toBeLessThanOrEqual(told);
        expect(afterFault).toBe(false);
      }
      acks += server.acks.length;
    }),
    { numRuns: cases() },
  );
  expect(acks, 'some of these histories must acknowledge').toBeGreaterThan(cases() / 4);
});
