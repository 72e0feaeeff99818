import { describe, expect, it } from 'vitest';
import { microTime, parseMicroTime, secondTime } from '../../../src/relay/time.ts';

describe('times', () => {
  it('shows microseconds and reads them back', () => {
    for (const us of [0, 1, 999, 1_000, 1_782_561_600_123_456, 4_102_444_799_999_999]) {
      expect(parseMicroTime(microTime(us))).toBe(us);
    }
    expect(microTime(1_782_561_600_000_007)).toBe('2026-06-27T12:00:00.000007Z');
    expect(secondTime(1_782_561_600_999)).toBe('2026-06-27T12:00:00Z');
  });

  it.each([
    ['2026-06-27T12:00:00Z', 1_782_561_600_000_000],
    ['2026-06-27t12:00:00z', 1_782_561_600_000_000],
    ['2026-06-27T14:00:00+02:00', 1_782_561_600_000_000],
    ['2026-06-27T06:30:00-05:30', 1_782_561_600_000_000],
    ['2026-06-27T12:00:00.5Z', 1_782_561_600_500_000],
    // Digits beyond the sixth are cut: a time must not land above itself.
    ['2026-06-27T12:00:00.1234569Z', 1_782_561_600_123_456],
    ['2016-12-31T23:59:60Z', 1_483_228_799_999_999],
    ['0000-01-01T00:00:00Z', -Number.MAX_SAFE_INTEGER],
    ['9999-12-31T23:59:59Z', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, us) => {
    expect(parseMicroTime(text)).toBe(us);
  });

  it.each([
    '',
    '2026-06-27',
    '2026-06-27T12:00:00',
    '2026-06-27 12:00:00Z',
    '2026-06-27T12:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-06-27T24:00:00Z',
    '2026-06-27T12:60:00Z',
    '2026-06-27T12:00:61Z',
    '2026-06-27T12:00:00.Z',
    '2026-06-27T12:00:00+24:00',
    '2026-06-27T12:00:00+0200',
    ' 2026-06-27T12:00:00Z',
    '2026-06-27T12:00:00Z\n',
    '٢٠٢٦-06-27T12:00:00Z',
  ])('refuses %j', text => {
    expect(() => parseMicroTime(text)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
