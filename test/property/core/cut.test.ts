import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText, fits, sizeOf } from '../../../src/core/cut.ts';
import { sanitizeText } from '../../../src/core/sanitize.ts';
import { estimateTokens, measure, utf8Length } from '../../../src/core/tokens.ts';
import { cases } from '../../helpers/cases.ts';
import { text } from './arbitrary.ts';

const numRuns = cases();
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const room = fc.record({
  cost: fc.integer({ min: -300, max: 60_000 }),
  bytes: fc.integer({ min: -3, max: 2000 }),
  utf16: fc.integer({ min: -3, max: 2000 }),
});
const wellFormed = fc.oneof(
  text().map(sanitizeText),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        '👨‍👩‍👧‍👦',
        '🇩🇪',
        '🇫🇷',
        '👍🏿',
        'e\u0301',
        'क्षि',
        '\u1112\u1161\u11ab',
        'กำ',
        '\r\n',
        'a',
        '界',
        '\u0600',
        'ｶﾞ',
      ),
      {
        maxLength: 80,
      },
    )
    .map(parts => parts.join('')),
);

it('a cut is a start of the text within its room and splits no grapheme', () => {
  fc.assert(
    fc.property(wellFormed, room, (whole, limit) => {
      const cut = cutText(whole, limit);
      expect(whole.startsWith(cut)).toBe(true);
      if (cut !== '') expect(fits(sizeOf(cut), limit)).toBe(true);
      // Trailing white space goes after the cut, so the boundary is at or behind the end of what is left.
      const next = /^\s*/.exec(whole.slice(cut.length))![0].length;
      const ends = new Set([...segmenter.segment(whole.slice(0, cut.length + next + 200))].map(s => s.index)).add(
        whole.length,
      );
      const places = Array.from({ length: next + 1 }, (_, i) => cut.length + i);
      expect(places.some(at => ends.has(at))).toBe(true);
      expect(cut).not.toMatch(/\p{Cs}/u);
    }),
    { numRuns },
  );
});

it('an estimate is an integer between one token a text and one a byte', () => {
  fc.assert(
    fc.property(text(), any => {
      const tokens = estimateTokens(any);
      expect(Number.isSafeInteger(tokens)).toBe(true);
      expect(tokens).toBeLessThanOrEqual(utf8Length(any));
      expect(utf8Length(any)).toBe(new TextEncoder().encode(any).length);
      if (/\S/.test(any)) expect(tokens).toBeGreaterThan(0);
    }),
    { numRuns },
  );
});

it('costs of parts add up when they begin with visible ASCII and end with a line feed', () => {
  const part = fc
    .tuple(fc.constantFrom('<', 'N', 'M', 'x', '7'), text(8))
    .map(([first, rest]) => `${first}${rest.trimEnd()}\n`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), parts => {
      const sum = parts.reduce((n, p) => n + measure(p).cost, 0);
      expect(measure(parts.join('')).cost).toBe(sum);
    }),
    { numRuns },
  );
});

it('a longer text never costs less', () => {
  fc.assert(
    fc.property(text(8).map(sanitizeText), text(8).map(sanitizeText), (a, b) => {
      expect(measure(a + b).bytes).toBe(measure(a).bytes + measure(b).bytes);
      expect(measure(a + b).cost).toBeGreaterThanOrEqual(measure(a).cost);
    }),
    { numRuns },
  );
});
