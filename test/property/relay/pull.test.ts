import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Principal } from '../../../src/relay/principal.ts';
import { openRelayService, type RelayService } from '../../../src/relay/service.ts';
import { Model } from './model.ts';

/** `PRETURN_CASES` scales every property; 1,000 is what `npm test` must run at least. */
const numRuns = Number(process.env.PRETURN_CASES ?? 1000);

type Step =
  | { readonly do: 'append'; readonly rows: readonly Row[] }
  | {
      readonly do: 'pull';
      readonly since?: number | undefined;
      readonly ack?: number | undefined;
      readonly limit?: number | undefined;
    }
  /** Acks the last window_high, as a steady client does. */
  | { readonly do: 'drain'; readonly limit?: number | undefined }
  | {
      readonly do: 'guarded';
      readonly ack: number;
      /** How far below the ack the known row lies. */
      readonly below: number;
      readonly wrong: 'nothing' | 'epoch' | 'row';
    }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'epoch' }
  | { readonly do: 'scopes'; readonly all: boolean };

interface Row {
  readonly scope: 'direct' | 'team' | 'team/x' | 'secret';
  readonly score: number;
  readonly size: number;
  /** ms from now; absent rows do not expire. */
  readonly ttl?: number | undefined;
}

const optional = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const seq = fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 40 }) }, { weight: 1, arbitrary: fc.maxSafeNat() });
const limit = optional(fc.integer({ min: 1, max: 12 }));

const row: fc.Arbitrary<Row> = fc.record({
  scope: fc.constantFrom('direct', 'team', 'team/x', 'secret', 'secret'),
  score: fc.constantFrom(0, 0.25, 0.5, 0.5, 1),
  size: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 50 }) }, { weight: 1, arbitrary: fc.nat({ max: 4000 }) }),
  ttl: optional(fc.integer({ min: 1, max: 3000 })),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), rows: fc.array(row, { maxLength: 8 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('pull' as const), since: optional(seq), ack: optional(seq), limit }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('drain' as const), limit }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('guarded' as const),
      ack: fc.integer({ min: 1, max: 30 }),
      below: fc.nat({ max: 6 }),
      wrong: fc.constantFrom('nothing', 'nothing', 'nothing', 'epoch', 'row'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: -500, max: 2000 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'epoch' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scopes' as const), all: fc.boolean() }) },
);

describe('pull, ack and append against the reference model', () => {
  it(`agree on every answer of ${numRuns} random histories`, async () => {
    const clock = { now: 1_000_000 };
    // One store for all cases, an inbox a case: opening a store costs more than a case.
    const service = await openRelayService({
      path: ':memory:',
      maxBatch: 6,
      windowBytes: 6000,
      clock: () => clock.now,
    });
    let agents = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
          agents += 1;
          const { handle } = await service.addAgent({ handle: `a${agents}`, readScopes: ['team'] });
          await run(service, handle, steps, clock);
        }),
        { numRuns },
      );
    } finally {
      await service.close();
    }
  });
});

async function run(service: RelayService, handle: string, steps: readonly Step[], clock: { now: number }) {
  const model = new Model({ maxBatch: 6, windowBytes: 6000, now: () => clock.now });
  model.epoch = await service.epoch();
  let me = await service.actAs(handle);
  let windowHigh = 0;
  for (const action of steps) {
    switch (action.do) {
      case 'append': {
        const messages = action.rows.map(({ scope, score, size, ttl }) => ({
          recipient: handle,
          content: 'x'.repeat(size),
          scope,
          score,
          expiresAt: ttl === undefined ? undefined : clock.now + ttl,
        }));
        const delivered = await service.deliverAll(messages);
        const sizes = await sizesOf(service, me.inbox, delivered[0]?.seq ?? 0);
        for (const [i, { seq, deliveryId }] of delivered.entries()) {
          model.append({ ...messages[i]!, seq, id: deliveryId, bytes: sizes[i]! });
        }
        break;
      }
      case 'wait':
        clock.now += action.ms;
        break;
      case 'epoch':
        model.epoch = await service.newEpoch();
        break;
      case 'scopes':
        await service.setReadScopes(handle, action.all ? undefined : ['team']);
        model.readScopes = action.all ? null : ['team'];
        me = await service.actAs(handle);
        break;
      case 'guarded': {
        const known = model.rowAt(Math.max(1, action.ack - action.below));
        const guard = {
          epoch: action.wrong === 'epoch' ? 'another' : model.epoch,
          ...(known && { row: { seq: known.seq, id: action.wrong === 'row' ? 'another' : known.id } }),
        };
        await compare(service, me, model, { ack: action.ack }, guard);
        break;
      }
      case 'drain':
        windowHigh = (await compare(service, me, model, { ack: windowHigh, limit: action.limit })).windowHigh;
        break;
      case 'pull': {
        const { do: _, ...args } = action;
        await compare(service, me, model, args);
        break;
      }
    }
    model.checkInvariants();
  }
}

async function compare(
  service: RelayService,
  me: Principal,
  model: Model,
  args: { since?: number | undefined; ack?: number | undefined; limit?: number | undefined },
  guard: { epoch?: string; row?: { seq: number; id: string } } = {},
) {
  const actual = await service.pull(me, args, guard);
  const expected = model.pull(args, guard);
  const { itemsJson, ...rest } = actual;
  const answer = { ...rest, seqs: itemsJson.map(json => (JSON.parse(json) as { delivery_seq: number }).delivery_seq) };
  if (JSON.stringify(sorted(answer)) !== JSON.stringify(sorted(expected))) {
    throw new Error(
      `pull ${JSON.stringify(args)} ${JSON.stringify(guard)}\n got ${JSON.stringify(sorted(answer))}\n not ${JSON.stringify(sorted(expected))}`,
    );
  }
  return actual;
}

const sorted = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Bytes of the rows from `first` on, as the store counts them. */
async function sizesOf(service: RelayService, inbox: number, first: number): Promise<number[]> {
  const rows = await service.store.db
    .selectFrom('deliveries')
    .where('inbox', '=', inbox)
    .where('seq', '>=', first)
    .orderBy('seq')
    .select('bytes')
    .execute();
  return rows.map(row => row.bytes);
}
