import { expect, it } from 'vitest';
import { byRank, type Entry, score } from '../../../src/core/rank.ts';
import { candidate, view } from './make.ts';

const entry = (seq: number, value: number, index = 1): Entry => ({
  source: view({ index }),
  candidate: candidate({ seq, score: value }),
});
const order = (entries: readonly Entry[]) =>
  [...entries].sort(byRank).map(e => `${e.source.index}/${e.candidate.delivery.seq}`);

it('goes by score, highest first', () => {
  expect(order([entry(1, 0.1), entry(2, 0.9), entry(3, 0.5)])).toEqual(['1/2', '1/3', '1/1']);
});

it('rule 23: equal scores go by sequence, then by the order of the sources', () => {
  expect(order([entry(3, 0.5), entry(1, 0.5, 2), entry(1, 0.5), entry(2, 0.5)])).toEqual(['1/1', '2/1', '1/2', '1/3']);
});

it('is a total order whatever a server sends as a score', () => {
  const wild = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 7, 0.5].map((value, i) => entry(i + 1, value));
  expect(wild.map(score)).toEqual([0, 1, 0, 0, 1, 0.5]);
  expect(order(wild)).toEqual(['1/2', '1/5', '1/6', '1/1', '1/3', '1/4']);
});
