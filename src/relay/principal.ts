import { relayFailures } from '../messages-relay.ts';
import { inScope } from './scopes.ts';

export const RIGHTS = ['drain', 'send', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** Who calls, as the token says; never as an argument says. */
export interface Principal {
  readonly agentId: string;
  readonly tenant: string;
  readonly handle: string;
  /** Key of the agent's inbox. */
  readonly inbox: number;
  readonly rights: readonly Right[];
  /** Scopes of the agent; null reads everything. */
  readonly readScopes: readonly string[] | null;
  /** Scopes of the token, where it has some of its own: then it may peek, never ack. */
  readonly tokenScopes: readonly string[] | null;
}

/** Throws `forbidden` when the principal lacks the right. Rights are separate: admin includes no other. */
export function demand(principal: Principal, right: Right): void {
  if (!principal.rights.includes(right)) throw relayFailures.noRight(right);
}

/** What visibility depends on. */
export interface Row {
  readonly scope: string;
  readonly expires_at: number | null;
}

/** Visible to agent and token alike, and not expired at `now` (epoch ms). Tombstones are told apart by the caller. */
export function visibleTo(principal: Principal, row: Row, now: number): boolean {
  if (row.expires_at !== null && row.expires_at <= now) return false;
  return inScope(row.scope, principal.readScopes) && inScope(row.scope, principal.tokenScopes);
}
