import { describe, expect, it } from 'vitest';
import { estimateTokens, measure, utf8Length } from '../../../src/core/tokens.ts';
import { kinds } from '../../fixtures/tokens/kinds.ts';
import counts from '../../fixtures/tokens/o200k.json' with { type: 'json' };

const fixture = counts as unknown as Readonly<Record<string, readonly (readonly [number, number, number])[]>>;
const texts = kinds();

/** Estimate ÷ real o200k count of every slice of a kind, lowest first. */
const ratios = (kind: string) =>
  fixture[kind]!.map(([start, length, real]) => estimateTokens(texts[kind]!.slice(start, start + length)) / real).sort(
    (a, b) => a - b,
  );
const quantile = (sorted: readonly number[], p: number) => sorted[Math.floor(p * (sorted.length - 1))]!;

describe('estimateTokens against real o200k counts', () => {
  it('covers at least 20 kinds of text, each with its slices', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(fixture).sort());
    expect(Object.keys(texts).length).toBeGreaterThanOrEqual(20);
    for (const kind of Object.keys(fixture))
      expect(fixture[kind]![0]).toEqual([0, texts[kind]!.length, expect.any(Number)]);
  });

  it.each(Object.keys(fixture))('does not under-count %s', kind => {
    const all = ratios(kind);
    expect(all[0]).toBeGreaterThanOrEqual(0.9);
    // The whole text of a kind, its first slice, never comes out too low by more than 2 %.
    const [, length, real] = fixture[kind]![0]!;
    expect(estimateTokens(texts[kind]!.slice(0, length)) / real).toBeGreaterThanOrEqual(0.98);
    // A loose estimate would fit too little mail: twice as much at most in the middle.
    expect(quantile(all, 0.5)).toBeLessThanOrEqual(1.6);
  });

  it('over all kinds: less than 1 % under by more than 5 %, half within a quarter', () => {
    const all = Object.keys(fixture)
      .flatMap(ratios)
      .sort((a, b) => a - b);
    expect(all.length).toBeGreaterThan(600);
    expect(all.filter(r => r < 0.95).length / all.length).toBeLessThan(0.01);
    expect(quantile(all, 0.01)).toBeGreaterThanOrEqual(0.97);
    expect(quantile(all, 0.5)).toBeLessThanOrEqual(1.28);
    expect(quantile(all, 0.95)).toBeLessThanOrEqual(1.79);
  });
});

describe('bounds', () => {
  it('never exceeds the UTF-8 bytes', () => {
    for (const text of ['', ' ', 'a', '\n', '1 2 3', 'é', '界', '😀', 'ꙮ', '\ud800', 'x\udc00', '\t\n\t']) {
      expect(estimateTokens(text)).toBeLessThanOrEqual(utf8Length(text));
    }
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
  });

  it('counts UTF-8 bytes as an encoder does', () => {
    for (const text of [...Object.values(texts), 'a\ud800b', '\udc00\ud800', '\ud83d', 'é\u07ff\u0800\uffff😀']) {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }
  });

  it('costs of parts that begin with visible ASCII and end with a line feed add up', () => {
    const parts = Object.values(texts).map(text => `<${text}\n`);
    const sum = parts.reduce((n, part) => n + measure(part).cost, 0);
    expect(measure(parts.join('')).cost).toBe(sum);
  });

  it('is linear in one run of a million characters', () => {
    for (const c of ['a', ' ', '=', '7', 'é', '界', '😀', 'A', '\n']) {
      const once = measure(c.repeat(10_000)).cost;
      const often = measure(c.repeat(1_000_000)).cost;
      expect(often / once).toBeGreaterThan(50);
      expect(often / once).toBeLessThan(150);
    }
  });
});

describe('runs that are counted (hundredths of a token)', () => {
  const cost = (text: string) => measure(text).cost;
  it.each([
    ['a word more', cost('red blue') - cost('red'), cost('blue')],
    ['a rise of case splits a word', cost('redBlue'), cost('red') + cost('Blue')],
    ['a capital alone belongs to its word', cost('Blue'), cost('blue')],
    ['capitals before a word do not', cost('HTTPserver'), cost('HTTP') + cost('server')],
    ['one space is free', cost('red blue'), cost('red') + cost('blue')],
    ['two are not', cost('red  blue') - cost('red blue'), cost('  ')],
    ['a line feed with its indentation is one run', cost('red\n    blue') - cost('red blue'), cost('\n')],
    ['digits go by three', cost('1234567') - cost('1234'), cost('1234') - cost('123')],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });
});
