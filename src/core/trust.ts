/**
 * Who may be shown. The command line compiles trust.yaml (handles by list, unknown senders by policy) to this; look-ups
 * go through maps, never through an object's properties: a handle `constructor` is a handle like any other.
 */
export interface TrustEntry {
  /** Only for senders of this origin; absent = of every origin. */
  readonly origin?: string;
  /** Handle, exact and case-sensitive. */
  readonly handle?: string;
  /** Opaque agent id as the server authenticated it. A `show` that names one is not satisfied by a handle alone. */
  readonly agentId?: string;
  readonly decision: 'show' | 'block';
}

/** `none`: no trust file. `invalid`: there is one, and it cannot be used. */
export type TrustRules =
  | { readonly state: 'none' }
  | { readonly state: 'invalid' }
  | { readonly state: 'valid'; readonly unknown: 'show' | 'withhold'; readonly entries: readonly TrustEntry[] };

/**
 * `show` · `withhold`: a count only · `block`: nothing at all. Under valid rules `withhold` and `block` are settled and
 * count as handled; under invalid ones nothing is settled, and nothing of that source may be acknowledged.
 */
export interface TrustDecision {
  readonly decision: 'show' | 'withhold' | 'block';
  readonly settled: boolean;
}

export interface Sender {
  readonly origin: string;
  readonly senderId: string;
  readonly sender: string;
}

/** Indexes the rules once; the returned function decides for one sender. Blocked wins over listed. */
export function compileTrust(rules: TrustRules): (from: Sender) => TrustDecision {
  if (rules.state === 'none') return () => ({ decision: 'show', settled: false });
  if (rules.state === 'invalid') return () => ({ decision: 'withhold', settled: false });
  const blocked = new Set<string>();
  const shown = new Set<string>();
  for (const { origin = '', handle = '', agentId = '', decision } of rules.entries) {
    if (decision === 'block') {
      if (agentId !== '') blocked.add(key(origin, 'id', agentId));
      if (handle !== '') blocked.add(key(origin, 'handle', handle));
    } else if (agentId !== '') shown.add(key(origin, 'id', agentId));
    else if (handle !== '') shown.add(key(origin, 'handle', handle));
  }
  return from => {
    if (listed(blocked, from)) return { decision: 'block', settled: true };
    if (rules.unknown === 'show' || listed(shown, from)) return { decision: 'show', settled: false };
    return { decision: 'withhold', settled: true };
  };
}

const key = (origin: string, by: 'id' | 'handle', value: string) => JSON.stringify([origin, by, value]);

function listed(set: ReadonlySet<string>, { origin, senderId, sender }: Sender): boolean {
  return [origin, ''].some(at => set.has(key(at, 'id', senderId)) || set.has(key(at, 'handle', sender)));
}
