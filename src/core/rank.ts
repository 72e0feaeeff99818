import type { Candidate, SourceView } from './types.ts';

/** A candidate together with the source it came from. */
export interface Entry {
  readonly source: SourceView;
  readonly candidate: Candidate;
}

/** Score as the order and the block use it: 0 to 1; what is not a number counts as 0. */
export function score(entry: Entry): number {
  const value = entry.candidate.delivery.score;
  return value > 0 ? Math.min(value, 1) : 0;
}

/** Score-first total order: score descending, sequence ascending, then the order of the sources (S000, rule 23). */
export function byRank(a: Entry, b: Entry): number {
  return score(b) - score(a) || a.candidate.delivery.seq - b.candidate.delivery.seq || a.source.index - b.source.index;
}
