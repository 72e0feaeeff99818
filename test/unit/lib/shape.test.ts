import { describe, expect, it } from 'vitest';
import {
  fallback,
  fits,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  ShapeError,
  text,
} from '../../../src/lib/shape.ts';

const why = (shape: Shape<unknown>, value: unknown) => {
  try {
    shape(value, '');
    return 'fine';
  } catch (error) {
    expect(error).toBeInstanceOf(ShapeError);
    return (error as Error).message;
  }
};

describe('values', () => {
  it.each([
    ['text', text(), 'x', 7],
    ['text of a pattern', text(/^a+$/), 'aa', 'ab'],
    ['a whole number', integer(1, 3), 3, 4],
    ['no fraction', integer(), -5, 1.5],
    ['a safe number', integer(), 2 ** 53 - 1, 2 ** 53],
    ['no text for a number', number, 1.5, '1.5'],
    ['no NaN', number, 0, Number.NaN],
    ['a flag', flag, false, 0],
    ['one of some', oneOf<string | number | null>('a', 1, null), null, 'b'],
    ['null, too', nullable(text()), null, undefined],
    ['a list', list(integer()), [1, 2], [1, '2']],
    ['no object for a list', list(integer()), [], {}],
    ['a record', record(integer(1)), { a: 1 }, { a: 0 }],
    ['no list for a record', record(integer()), {}, []],
  ])('%s', (_, shape, good, bad) => {
    expect(fits(shape as Shape<unknown>, good)).toEqual(good);
    expect(why(shape as Shape<unknown>, bad)).not.toBe('fine');
  });
});

describe('object', () => {
  const shape = object({ name: text(), age: optional(integer()), size: fallback(integer(), 5) });

  it('fills in, leaves out and drops unknown keys', () => {
    expect(shape({ name: 'a', other: 1 }, '')).toEqual({ name: 'a', size: 5 });
    expect(shape({ name: 'a', age: 3, size: 1 }, '')).toEqual({ name: 'a', age: 3, size: 1 });
  });

  it('takes only a value’s own keys', () => {
    expect(fits(object({ constructor: optional(text()) } as never), {})).toEqual({});
    expect(fits(shape, Object.create({ name: 'inherited' }))).toBeUndefined();
  });

  it('says where it is wrong and what it must be', () => {
    expect(why(object({ sources: list(object({ url: text() })) }), { sources: [{ url: 'x' }, { url: 1 }] })).toBe(
      'sources[1].url must be text',
    );
    expect(why(shape, [])).toBe('the file must be an object');
    expect(why(shape, { name: 'a', size: null })).toMatch(/^size must be a whole number from -?\d+ to \d+$/);
  });
});

it('keys that objects inherit are keys like any other in a record', () => {
  const value = JSON.parse('{"__proto__": 1, "constructor": 2}');
  expect(Object.entries(record(integer())(value, ''))).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ]);
});
