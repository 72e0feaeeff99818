import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sanitizeLine, sanitizeText } from '../../../src/core/sanitize.ts';
import { cases } from '../../helpers/cases.ts';
import { text } from './arbitrary.ts';

const numRuns = cases();
const TAG = /<(?![ \t]*[=\d-])/;
const MARKER = /^[ \t\u3000#*_`~([-]*(?:human|assistant|system|user|developer|tool)[ \t\])*_`~]*[:：]/im;
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cs}\p{Co}\p{Noncharacter_Code_Point}]|(?![\u200d\ufe0f])\p{Default_Ignorable_Code_Point}/u;

it.each([
  ['sanitizeText', sanitizeText],
  ['sanitizeLine', sanitizeLine],
] as const)('%s is idempotent', (_, sanitize) => {
  fc.assert(
    fc.property(text(), dirty => {
      const once = sanitize(dirty);
      expect(sanitize(once)).toBe(once);
    }),
    { numRuns },
  );
});

it('text comes out well-formed, visible, without tags, role markers and towers of marks', () => {
  fc.assert(
    fc.property(text(), dirty => {
      const clean = sanitizeText(dirty);
      expect(clean).not.toMatch(HIDDEN);
      expect(clean).not.toMatch(TAG);
      expect(clean).not.toMatch(MARKER);
      expect(clean).not.toMatch(/\p{M}{5}|(?:^|\n)\p{M}/u);
      expect(clean.trim()).toBe(clean);
    }),
    { numRuns },
  );
});

it('a line comes out on one line, without quotes and brackets, and without whatever text may not hold', () => {
  fc.assert(
    fc.property(text(), dirty => {
      const clean = sanitizeLine(dirty);
      expect(clean).not.toMatch(/[\n\t\r<>"“”]|\s\s/);
      expect(clean).not.toMatch(HIDDEN);
      expect(clean).not.toMatch(MARKER);
    }),
    { numRuns },
  );
});

it('nothing visible is lost but terminal sequences, marks and white space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), plain => {
      // Without what the steps are there to change, a text passes as it is.
      const kept = plain.replace(/[<>[\]:\u001b＜﹤˂ᐸ❬❮❰⟨‹〈〈«《]|\p{M}|\p{Cf}|\s/gu, '');
      expect(sanitizeText(kept)).toBe(kept.replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, ''));
    }),
    { numRuns },
  );
});
