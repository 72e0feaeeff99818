import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drainSource } from '../../../src/drain.ts';
import * as ledger from '../../../src/journal/ledger.ts';
import { emptyJournal } from '../../../src/journal/state.ts';
import { toPage } from '../../../src/sources/hyphae/wire.ts';
import type { PullRequest, Source } from '../../../src/sources/source.ts';
import { cases } from '../../helpers/cases.ts';

const seq = fc.oneof(
  fc.nat(30),
  fc.constantFrom<unknown>(-1, 1.5, '7', '007', 2 ** 53, null, 'x', Number.MAX_SAFE_INTEGER),
);
const item = fc.oneof(
  fc.record({
    delivery_seq: seq,
    diff: fc.record({ content: fc.string() }),
    delivery: fc.record({ delivery_id: fc.constantFrom('a', 'b', 'c') }),
  }),
  fc.jsonValue(),
);
/** Pages that a broken or hostile server sends: right shapes with wrong numbers, and anything at all. */
const answer = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      items: fc.array(item, { maxLength: 5 }),
      cursor: seq,
      window_high: seq,
      has_more: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const epoch = fc.constantFrom(undefined, 'e1', 'e2');
const outcome = fc.constantFrom(undefined, 'applied' as const, 'ignored-epoch' as const, 'ignored-row' as const);

/** A source whose server answers whatever it likes; it notes every ack that it was sent. */
function hostile(
  answers: readonly { body: unknown; epoch: string | undefined; ack: ReturnType<typeof outcome.generate>['value'] }[],
) {
  const acks: number[] = [];
  let call = 0;
  const source: Source = {
    name: 's',
    origin: 'o',
    async pull(request: PullRequest) {
      if (request.ack) acks.push(request.ack.seq);
      const { body, epoch, ack } = answers[call++ % answers.length]!;
      return toPage(body, 0, { source: 's', origin: 'o', request }, { ...(epoch && { epoch }), ...(ack && { ack }) });
    },
  };
  return { source, acks };
}

it('whatever a server answers, no ack goes above a window_high that it sent, nor past an unhandled row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ body: answer, epoch, ack: outcome }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
      async (answers, settles) => {
        const { source, acks } = hostile(answers);
        const state = emptyJournal('o', 'i', 1);
        let highest = 0;
        let turn = 0;
        for (let run = 0; run < 8; run++) {
          const goal = ledger.ackGoal(state);
          if (goal) {
            // What the last view saw, and what of it is not handled, bound every ack of this run.
            const handled = ledger.provenKeys(state);
            expect(goal.seq).toBeLessThanOrEqual(state.view!.windowHigh);
            for (const row of state.view!.rows)
              if (!handled.has(`${row.seq}:${row.id}`)) expect(goal.seq).toBeLessThan(row.seq);
          }
          const before = acks.length;
          const known = ledger.provenKeys(state);
          const drained = await drainSource(source, {
            limit: 5,
            goal,
            epoch: state.epoch,
            matches: page =>
              page.deliveries.every(row => row.seq > (goal?.seq ?? 0) || known.has(`${row.seq}:${row.id}`)),
            signal: new AbortController().signal,
            left: () => 1000,
          });
          for (const ack of acks.slice(before)) expect(ack).toBeLessThanOrEqual(Math.max(highest, goal?.seq ?? 0));
          if (drained.reset && drained.pages.length > 0) ledger.forgetStore(state, drained.pages[0]!.epoch ?? null);
          ledger.recordPages(state, drained.pages, false);
          for (const page of drained.pages) highest = Math.max(highest, page.windowHigh);
          for (const row of state.view?.rows ?? []) if (settles[turn++ % settles.length]) ledger.settle(state, [row]);
        }
      },
    ),
    { numRuns: cases() },
  );
});
