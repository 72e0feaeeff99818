import fc from 'fast-check';
import { it } from 'vitest';
import { cases } from '../../helpers/cases.ts';
import { check, common, dialects, tokens } from './steps.ts';

it('one session with kills, lost answers, discarded and cut output: nothing lost, nothing repeated, inbox emptied', async () => {
  await fc.assert(fc.asyncProperty(dialects(1), tokens, fc.array(fc.oneof(...common), { maxLength: 24 }), check), {
    numRuns: cases(),
  });
});
