import fc from 'fast-check';
import { expect } from 'vitest';
import type { Dialect, Fate } from '../../helpers/session.ts';
import { NO_FAULTS, type RunFaults, World } from './world.ts';

/** One thing that happens on the machine. */
export type Step =
  | {
      readonly do: 'append';
      readonly messages: ReadonlyArray<{ visible: boolean; score: number; size: number; ttlMs?: number }>;
    }
  | { readonly do: 'prompt'; readonly session: number; readonly fate: Fate; readonly faults: RunFaults }
  | { readonly do: 'answer'; readonly session: number; readonly stop: RunFaults | null }
  | { readonly do: 'fail'; readonly session: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'journal'; readonly how: 'gone' | 'truncated' }
  | { readonly do: 'reset' | 'backup' | 'restore' };

const faults: fc.Arbitrary<RunFaults> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(NO_FAULTS) },
  { weight: 3, arbitrary: fc.record({ killAt: fc.integer({ min: 1, max: 14 }), loseAnswer: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ killAt: fc.constant(0), loseAnswer: fc.integer({ min: 1, max: 3 }) }) },
);

const message = fc.record(
  {
    visible: fc.boolean(),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    size: fc.constantFrom(10, 80, 600, 4000),
    ttlMs: fc.constantFrom(60_000, 3_600_000),
  },
  { requiredKeys: ['visible', 'score', 'size'] },
);

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>('given') },
  { weight: 4, arbitrary: fc.constantFrom<Fate>('discarded', 'cut', 'interrupted', 'vanished') },
);
const session = fc.nat({ max: 2 });

export const common: Array<fc.WeightedArbitrary<Step>> = [
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('prompt' as const), session, fate, faults }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('answer' as const), session, stop: fc.option(faults, { nil: null }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), session }) },
];
export const disasters: Array<fc.WeightedArbitrary<Step>> = [
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('clock' as const), ms: fc.integer({ min: -7_200_000, max: 7_200_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('journal' as const),
      how: fc.constantFrom('gone' as const, 'truncated' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('reset' as const, 'backup' as const, 'restore' as const) }) },
];

export const dialects = (count: number): fc.Arbitrary<Dialect[]> =>
  fc.array(fc.constantFrom<Dialect>('claude-code', 'codex'), { minLength: count, maxLength: count });

/** Time between two things that happen, ms: longer than a dead run's lease. */
const TICK_MS = 5000;

async function live(world: World, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    world.clock += TICK_MS;
    await one(world, step);
    await world.audit(JSON.stringify(step));
  }
}

async function one(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'append':
      return world.append(step.messages);
    case 'prompt': {
      const client = world.sessions[step.session % world.sessions.length]!;
      if (client.busy) return;
      client.nextTurn();
      client.receive(await world.hook(client, client.stdin('UserPromptSubmit'), step.faults), step.fate);
      return;
    }
    case 'answer': {
      const client = world.sessions[step.session % world.sessions.length]!;
      if (!client.busy) return;
      world.see(client.answer());
      client.over();
      if (step.stop) await world.hook(client, client.stdin('Stop'), step.stop);
      return;
    }
    case 'fail': {
      const client = world.sessions[step.session % world.sessions.length]!;
      if (client.busy) client.fail();
      return;
    }
    case 'clock':
      // Leases end early or never: what is under way may be shown elsewhere.
      world.allowed += await world.forgettable();
      world.clock += step.ms;
      return;
    case 'journal':
      return world.loseJournal(step.how);
    case 'reset':
      return world.resetServer();
    case 'backup':
      return world.takeBackup();
    case 'restore':
      return world.restoreBackup();
  }
}

/** No more faults: ordinary turns until nothing waits. */
async function empty(world: World): Promise<void> {
  for (const client of world.sessions) {
    if (!client.busy) client.nextTurn();
    world.see(client.answer());
    client.over();
  }
  // Past every lease, also of a run whose clock was ahead: jumps are two hours at most, 24 of them.
  world.clock += 48 * 3_600_000;
  const client = world.sessions[0]!;
  for (let turn = 0; turn < world.rows.length + 10; turn++) {
    const waiting = world.rows.filter(row => world.waits(row));
    if (world.unseen() === 0 && (await world.cursor()) >= (waiting.at(-1)?.seq ?? 0)) return;
    await live(world, [
      { do: 'prompt', session: world.sessions.indexOf(client), fate: 'given', faults: NO_FAULTS },
      { do: 'answer', session: world.sessions.indexOf(client), stop: NO_FAULTS },
    ]);
  }
}

/** Lives through the steps, then empties the inbox, and holds the world to the properties. */
export async function check(sessions: readonly Dialect[], tokens: number, steps: readonly Step[]): Promise<void> {
  const world = new World(sessions);
  await world.start();
  try {
    for (const client of world.sessions) client.maxTokens = tokens;
    await live(world, steps);
    await empty(world);
    expect(world.lost, 'acknowledged, and no model was given them').toEqual([]);
    expect(world.unseen(), 'still waiting after ordinary turns').toBe(0);
    expect(world.repeats, 'repeats beyond what the faults explain').toBeLessThanOrEqual(world.allowed);
  } finally {
    await world.close();
  }
}

/** Caps of the block, estimated tokens: the least, a small and the default one. */
export const tokens = fc.constantFrom(300, 600, 2000);
