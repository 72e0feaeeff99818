import { readTrust } from '../../config/trust.ts';
import { compileTrust } from '../../core/trust.ts';
import type { Delivery } from '../../delivery.ts';
import type { Context } from './context.ts';

export interface Sorted {
  readonly shown: readonly Delivery[];
  /** Count of deliveries whose senders the policy does not let through. */
  readonly withheld: number;
}

/** The hook's policy holds on every path by which peer text may reach an agent; blocked senders do not even count. */
export function sortByTrust(context: Context, deliveries: readonly Delivery[]): Sorted {
  const decide = compileTrust(readTrust(context.env));
  const decided = deliveries.map(delivery => ({ delivery, decision: decide(delivery).decision }));
  return {
    shown: decided.filter(one => one.decision === 'show').map(one => one.delivery),
    withheld: decided.filter(one => one.decision === 'withhold').length,
  };
}
