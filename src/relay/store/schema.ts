import type { Generated } from 'kysely';

/**
 * The tables of the store, for both databases. Sequences and byte counts are safe integers;
 * columns ending in `_us` are epoch microseconds, other times are epoch milliseconds.
 */
export interface Schema {
  meta: MetaTable;
  agents: AgentsTable;
  inboxes: InboxesTable;
  deliveries: DeliveriesTable;
  tokens: TokensTable;
  messages: MessagesTable;
}

/** Keys: `schema` (integer version) and `epoch` (identity of this incarnation of the store). */
export interface MetaTable {
  key: string;
  value: string;
}

/** Rows are never deleted: a handle names one agent for ever. */
export interface AgentsTable {
  id: string;
  tenant: string;
  handle: string;
  status: 'active' | 'revoked';
  /** JSON array of scopes; null reads everything. */
  read_scopes: string | null;
  created_at: number;
}

/** One counter and one acknowledged watermark per recipient. The row is the lock of its inbox. */
export interface InboxesTable {
  id: Generated<number>;
  agent_id: string;
  /** Highest sequence given out; always the sequence of an existing row, 0 for a new inbox. */
  head: number;
  /** Sum of `bytes` of all rows ever appended. */
  head_bytes: number;
  /** Acknowledged watermark, never above `head`. */
  cursor: number;
  /** `delivered_us` of the head, so that times rise with sequences whatever the clock does. */
  last_delivered_us: number;
  /** Last pull that found or acknowledged something; written at most once a minute. */
  pulled_at: number | null;
}

/**
 * The delivery log, clustered by (inbox, seq). Narrow columns stand before `item`, so that a scan of sequences
 * does not touch the overflow pages of long items.
 */
export interface DeliveriesTable {
  inbox: number;
  seq: number;
  delivery_id: string;
  scope: string;
  score: number;
  delivered_us: number;
  expires_at: number | null;
  /** UTF-8 bytes of the item as appended; a tombstone keeps it, so that windows do not move. */
  bytes: number;
  /** Sum of `bytes` from sequence 1 to this row: a window's byte bound is one comparison. */
  bytes_through: number;
  /** Estimated model tokens of the content. */
  tokens: number | null;
  /** The item's JSON exactly as it is sent; null in a tombstone. */
  item: string | null;
}

export interface TokensTable {
  id: string;
  /** Lower-case hex SHA-256 of the token. */
  hash: string;
  agent_id: string;
  /** Space-separated: `drain`, `send`, `admin`. */
  rights: string;
  /** JSON array of scopes narrower than the agent's: such a token may peek, never ack. Null follows the agent. */
  scopes: string | null;
  label: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Mail sent by `inbox_send`, keyed like its delivery; (`message_id`, `sender`) is the idempotency key. */
export interface MessagesTable {
  inbox: number;
  seq: number;
  message_id: string;
  sender: string;
  recipient: string;
  thread_id: string;
  kind: string;
  body: string;
  in_reply_to: string | null;
  task_id: string | null;
  created_at: number;
  expires_at: number;
  acked_at: number | null;
}
