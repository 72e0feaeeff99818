import fc from 'fast-check';
import { it } from 'vitest';
import { cases } from '../../helpers/cases.ts';
import { check, common, dialects, tokens } from './steps.ts';

it.each([2, 3])(
  '%i sessions of one identity whose turns overlap: nothing lost, nothing repeated, inbox emptied',
  async count => {
    await fc.assert(
      fc.asyncProperty(dialects(count), tokens, fc.array(fc.oneof(...common), { maxLength: 24 }), check),
      { numRuns: cases() },
    );
  },
);
