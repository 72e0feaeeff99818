import fc from 'fast-check';
import { it } from 'vitest';
import { cases } from '../../helpers/cases.ts';
import { check, common, dialects, disasters, tokens } from './steps.ts';

it('resets, restored backups, lost and truncated journals, jumping clocks: nothing lost, repeats only by faults', async () => {
  await fc.assert(
    fc.asyncProperty(dialects(2), tokens, fc.array(fc.oneof(...common, ...disasters), { maxLength: 24 }), check),
    { numRuns: cases() },
  );
});
