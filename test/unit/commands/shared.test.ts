import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeJson } from '../../../src/commands/shared/json.ts';
import { integer, seconds } from '../../../src/commands/shared/options.ts';
import { table } from '../../../src/commands/shared/table.ts';

describe('safeJson', () => {
  test('says the same, and holds no bracket, control or invisible character', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '<',
          '>',
          '\x1b[2J',
          '\u202e',
          '\u200b',
          '\u{e0041}',
          '\ue000',
          '\u2028',
          '\ufeff',
          '\x9b',
          'é',
          '🙂',
        ),
        fc.string({ unit: 'binary', maxLength: 2 }),
      ),
    });
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), value => {
        const text = safeJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/[<>\x00-\x09\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Co}\u2028\u2029]/u);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('arguments', () => {
  test.each([
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['7d', 604_800],
  ])('%s is %i seconds', (value, expected) => expect(seconds('--ttl', value)).toBe(expected));

  test.each(['', 'h', '1.5h', '-5', '5 m', '1w', '1e3'])('%j is no time', value => {
    expect(() => seconds('--ttl', value)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });

  test.each(['', '0', '-1', '1.0', '0x5', '１', '9007199254740992', '11', 'ten'])(
    '%j is no number from 1 to 10',
    value => {
      expect(() => integer('seq', value, 1, 10)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    },
  );
});

test('a table is aligned and cut to the width', () => {
  expect(
    table(
      ['A', 'LONG'],
      [
        ['1', 'x'],
        ['22', 'yyyyyyyyyy'],
      ],
      9,
    ),
  ).toBe('A   LONG\n1   x\n22  yyyy…');
});
