import type { Candidate, ComposeInput, SourceView } from '../../../src/core/types.ts';
import type { Delivery } from '../../../src/delivery.ts';

/** Tuesday, 10 March 2026, 09:00 UTC, in epoch ms. */
export const NOW = Date.UTC(2026, 2, 10, 9);
export const NONCE = 'k7f2q9x4m1c8z3v6t0bp';

export function delivery(some: Partial<Delivery> = {}): Delivery {
  const seq = some.seq ?? 41;
  return {
    source: 'default',
    origin: 'http://127.0.0.1:7717',
    seq,
    id: `d${seq}`,
    senderId: 'agt_alice',
    sender: 'alice',
    kind: 'update',
    score: 0.4,
    deliveredAt: NOW - 5 * 60_000,
    body: 'All tests pass again.',
    ...some,
  };
}

export function candidate(some: Partial<Delivery> & { readonly unproven?: number } = {}): Candidate {
  const { unproven = 0, ...rest } = some;
  return { delivery: delivery(rest), unproven };
}

export function view(some: Partial<SourceView> = {}): SourceView {
  return {
    name: 'default',
    index: 1,
    origin: 'http://127.0.0.1:7717',
    items: [],
    hasMore: false,
    withheld: 0,
    ...some,
  };
}

export function input(some: Partial<ComposeInput> = {}): ComposeInput {
  return {
    sources: [view()],
    caps: { tokens: 2000, bytes: 9000, utf16: 9000 },
    recipient: 'bob',
    nonce: NONCE,
    now: NOW,
    ...some,
  };
}
