import { describe, expect, it } from 'vitest';
import { boundaryBefore, cutText, fits, type Size, sizeOf } from '../../../src/core/cut.ts';
import { prose } from '../../fixtures/tokens/prose.ts';

const wide: Size = { cost: 1e9, bytes: 1e9, utf16: 1e9 };

describe('boundaryBefore', () => {
  const family = '👨‍👩‍👧‍👦';
  it.each([
    ['inside a surrogate pair', 'a😀', 2, 1],
    ['inside an emoji family', `x${family}y`, 6, 1],
    ['between regional indicators of one flag', '🇩🇪🇫🇷', 6, 4],
    ['before a combining mark', 'xe\u0301y', 2, 1],
    ['between carriage return and line feed', 'a\r\nb', 2, 1],
    ['inside Hangul jamo', 'x\u1112\u1161\u11ab', 3, 1],
    ['inside an Indic conjunct', 'क्षत्रिय', 1, 0],
    ['before half-width voicing', 'xｶﾞ', 2, 1],
    ['before a skin tone', 'x👍🏿', 3, 1],
    ['between plain letters', 'hello', 3, 3],
    ['between Chinese characters', '夜间构建', 2, 2],
    ['at the end', 'abc', 9, 3],
    ['before the start', 'abc', -1, 0],
  ])('%s', (_, text, at, expected) => {
    expect(boundaryBefore(text, at)).toBe(expected);
  });

  it('agrees with Intl.Segmenter at every place of every language', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const text of Object.values(prose)) {
      const starts = new Set([...segmenter.segment(text)].map(s => s.index)).add(text.length);
      for (let at = 0; at <= text.length; at++) {
        const cut = boundaryBefore(text, at);
        expect(starts.has(cut)).toBe(true);
        expect(at - cut).toBeLessThan(48);
      }
    }
  });
});

describe('cutText', () => {
  it('keeps a text that fits, without trailing white space', () => {
    expect(cutText('hello world', wide)).toBe('hello world');
    expect(cutText('hello \n', wide)).toBe('hello');
  });
  it.each(['cost', 'bytes', 'utf16'] as const)('stays within the room in %s, and uses most of it', unit => {
    for (const text of Object.values(prose)) {
      const whole = sizeOf(text);
      for (const part of [0.1, 0.5, 0.9]) {
        const room = { ...whole, [unit]: Math.floor(whole[unit] * part) };
        const cut = cutText(text, room);
        expect(text.startsWith(cut)).toBe(true);
        expect(fits(sizeOf(cut), room)).toBe(true);
        expect(sizeOf(cut)[unit]).toBeGreaterThan(room[unit] * 0.6);
      }
    }
  });
  it('gives nothing for no room', () => {
    expect(cutText('hello', { cost: 0, bytes: 0, utf16: 0 })).toBe('');
    expect(cutText('hello', { cost: -200, bytes: -3, utf16: -1 })).toBe('');
    expect(cutText('', wide)).toBe('');
  });
  it('cuts one endless grapheme to nothing rather than into two', () => {
    expect(cutText(`a${'\u0301'.repeat(5000)}`, { cost: 1e6, bytes: 2000, utf16: 1000 })).toBe('');
  });
});
