import fc from 'fast-check';
import { it } from 'vitest';
import { cases } from '../../helpers/cases.ts';
import { check, common, dialects, disasters, type Step, tokens } from './steps.ts';
import { NO_FAULTS } from './world.ts';

/** Histories that once lost a message; they run before any random one. */
const FOUND: ReadonlyArray<readonly Step[]> = [
  // An ack over hidden rows alone, after a backup was copied back: another row stood where a hidden one had stood.
  [
    { do: 'backup' },
    {
      do: 'append',
      messages: [
        { visible: false, score: 0, size: 10 },
        { visible: true, score: 0, size: 10 },
      ],
    },
    { do: 'prompt', session: 0, fate: 'given', faults: NO_FAULTS },
    { do: 'restore' },
    { do: 'append', messages: [{ visible: true, score: 0, size: 10 }] },
    { do: 'prompt', session: 1, fate: 'given', faults: NO_FAULTS },
  ],
];

it.each(FOUND.map((steps, at) => [at + 1, steps] as const))('a history that once lost a message: %i', (_, steps) =>
  check(['claude-code', 'claude-code'], 300, steps),
);

it('resets, restored backups, lost and truncated journals, jumping clocks: nothing lost, repeats only by faults', async () => {
  await fc.assert(
    fc.asyncProperty(dialects(2), tokens, fc.array(fc.oneof(...common, ...disasters), { maxLength: 24 }), check),
    { numRuns: cases() },
  );
});
