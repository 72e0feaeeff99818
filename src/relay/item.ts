import { randomUUID } from 'node:crypto';
import { DIRECT } from './scopes.ts';
import { microTime } from './time.ts';

/** The delivered memory diff, snake_case as on the wire. */
export interface MemoryDiff {
  readonly diff_id: string;
  /** Agent id of the sender as authenticated; empty when the relay itself speaks. */
  readonly origin_agent_id: string;
  readonly node_id: string;
  readonly op: 'ADD';
  readonly content: string;
  readonly confidence: number;
  readonly layer: number;
  readonly scope: string;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What an append needs to know of a message before its sequence is allocated. */
export interface Draft {
  readonly from: { readonly agentId: string; readonly handle: string } | undefined;
  readonly kind: string;
  readonly content: string;
  readonly score: number;
  readonly scope?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; from then on the row counts in windows like a hidden one. */
  readonly expiresAt?: number | undefined;
  /** Further metadata, after `kind` and `from_handle`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * The item of one delivery as JSON text, `{delivery_seq, diff, delivery}` and nothing else (S000-21):
 * written once, then sent as it is.
 */
export function itemJson(
  draft: Draft,
  row: { readonly seq: number; readonly deliveryId: string; readonly recipient: string; readonly deliveredUs: number },
): string {
  const id = randomUUID();
  const diff: MemoryDiff = {
    diff_id: id,
    origin_agent_id: draft.from?.agentId ?? '',
    node_id: id,
    op: 'ADD',
    content: draft.content,
    confidence: 1,
    layer: 0,
    scope: draft.scope ?? DIRECT,
    tags: draft.tags ?? [draft.kind],
    created_at: new Date(draft.createdAt).toISOString(),
    metadata: {
      kind: draft.kind,
      ...(draft.from && { from_handle: draft.from.handle }),
      ...draft.metadata,
      ...(draft.expiresAt !== undefined && { expires_at: new Date(draft.expiresAt).toISOString() }),
    },
  };
  const delivery = {
    delivery_id: row.deliveryId,
    recipient_agent_id: row.recipient,
    score: draft.score,
    energy: 1,
    hops: 0,
    via: 'direct',
    delivered_at: microTime(row.deliveredUs),
  };
  return JSON.stringify({ delivery_seq: row.seq, diff, delivery });
}

const SEQ_AT = '{"delivery_seq":'.length;
const SCORE_KEY = ',"score":';

/**
 * Sequence and score, read out of an item's text as `itemJson` writes it: a window then needs one value of the store
 * instead of several a row. Inside any string the quotes of the key are escaped, so its last occurrence is the key.
 */
export function placeOf(item: string): { readonly seq: number; readonly score: number } {
  const at = item.lastIndexOf(SCORE_KEY) + SCORE_KEY.length;
  return {
    seq: Number.parseInt(item.slice(SEQ_AT, SEQ_AT + 17), 10),
    score: Number.parseFloat(item.slice(at, at + 32)),
  };
}
