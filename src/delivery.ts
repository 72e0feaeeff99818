/**
 * A delivery: one message in one recipient's inbox, as every source adapter hands it to the turn.
 * Sources map their own wire shapes to this; core, journal and hook know nothing else.
 */
export interface Delivery {
  /** Name of the configured source that pulled it, e.g. `default`. */
  readonly source: string;
  /** Where the inbox lives: `http://127.0.0.1:7717` or `file:/path/relay.db`. Duplicates fold within one origin only. */
  readonly origin: string;
  /** `delivery_seq` of the row in this inbox: a safe integer ≥ 1. */
  readonly seq: number;
  /** Stable id of the row within its origin (`delivery_id`, else `diff_id`, else a hash of the item). */
  readonly id: string;
  /** Opaque agent id of the sender, as the server authenticated it; empty when the server names none. */
  readonly senderId: string;
  /** Handle of the sender for people; peer-authored, untrusted. */
  readonly sender: string;
  /** Label to triage on, e.g. `question`, `task`, `update`; untrusted text. */
  readonly kind: string;
  /** 0 to 1, higher first; comparable across sources. */
  readonly score: number;
  /** Server time of delivery in epoch ms; `undefined` when the server gives none that parses. */
  readonly deliveredAt?: number;
  /** Epoch ms after which a re-read no longer works; `undefined` when it does not expire. */
  readonly expiresAt?: number;
  readonly threadId?: string;
  readonly taskId?: string;
  /** The message's text as received: untrusted, any Unicode. */
  readonly body: string;
  /** Set when the item could not be understood; it is then shown as an "unreadable" digest. */
  readonly unreadable?: string;
}

/** Identity of one row: the journal never goes by sequence alone, because a reset server reuses sequences. */
export interface RowId {
  readonly seq: number;
  readonly id: string;
}

/** How an item is shown: whole, cut with a pointer, one line with a pointer, or a bare sequence line. */
export type Tier = 'full' | 'excerpt' | 'digest' | 'line';

/** Key of a row for sets and maps. */
export function rowKey(row: RowId): string {
  return `${row.seq}:${row.id}`;
}
