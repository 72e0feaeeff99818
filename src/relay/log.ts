import { randomUUID } from 'node:crypto';
import { estimateTokens } from '../core/tokens.ts';
import { relayFailures } from '../messages-relay.ts';
import { type Draft, itemJson } from './item.ts';
import { LIMITS } from './limits.ts';
import { DIRECT } from './scopes.ts';
import type { InboxState, Statements } from './store/statements.ts';
import type { Store, Tx } from './store/store.ts';

/** What every part of the service stands on. */
export interface Context {
  readonly store: Store;
  readonly statements: Statements;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Rows examined by one pull at most. */
  readonly maxBatch: number;
  /** UTF-8 bytes of the items of one window at most, yet never below one row. */
  readonly windowBytes: number;
}

export interface Appended {
  readonly seq: number;
  readonly deliveryId: string;
}

/** State of an inbox that exists because its agent does. */
export async function inboxState(context: Context, tx: Tx, inbox: number): Promise<InboxState> {
  const [state] = await context.statements.inbox(tx, { inbox });
  if (state === undefined) throw relayFailures.agentNotFound(`with the inbox ${inbox}`);
  return state;
}

/**
 * Appends one delivery inside the caller's write transaction. The sequence comes from the inbox's counter, and
 * `delivered_at` is max(now, previous + 1 µs): no row ever appears below a `window_high` already returned (rule 25),
 * nor at or before a `delivered_at` already shown (S003-06). Sequences are dense.
 */
export async function append(
  context: Context,
  tx: Tx,
  to: { readonly inbox: number; readonly agentId: string; readonly state: InboxState },
  draft: Draft,
): Promise<Appended & { readonly state: InboxState }> {
  const { inbox, state } = to;
  const seq = state.head + 1;
  const deliveryId = randomUUID();
  const deliveredUs = Math.max(context.clock() * 1000, state.last_delivered_us + 1);
  const item = itemJson(draft, { seq, deliveryId, recipient: to.agentId, deliveredUs });
  const bytes = Buffer.byteLength(item);
  const headBytes = state.head_bytes + bytes;
  await context.statements.append(tx, {
    inbox,
    seq,
    deliveryId,
    scope: draft.scope ?? DIRECT,
    score: draft.score,
    deliveredUs,
    expiresAt: draft.expiresAt ?? null,
    bytes,
    bytesThrough: headBytes,
    tokens: estimateTokens(draft.content),
    item,
  });
  await context.statements.advanceHead(tx, { inbox, head: seq, headBytes, deliveredUs });
  return { seq, deliveryId, state: { ...state, head: seq, head_bytes: headBytes, last_delivered_us: deliveredUs } };
}

/**
 * Clears a bounded number of expired rows of one inbox: the message goes, its delivery becomes a tombstone that keeps
 * the sequence and loses the body (S004-45). Runs inside a sender's transaction, so reads stay free of writes.
 */
export async function purgeExpired(tx: Tx, inbox: number, now: number): Promise<void> {
  const expired = await tx
    .selectFrom('deliveries')
    .where('inbox', '=', inbox)
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .limit(LIMITS.purgeBatch)
    .select('seq')
    .execute();
  for (const { seq } of expired) await purge(tx, inbox, seq);
}

export async function purge(tx: Tx, inbox: number, seq: number): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ item: null, expires_at: null })
    .where('inbox', '=', inbox)
    .where('seq', '=', seq)
    .execute();
  await tx.deleteFrom('messages').where('inbox', '=', inbox).where('seq', '=', seq).execute();
}
