/**
 * Every bound of the relay, with its unit. One place, because the service enforces them,
 * the schemas advertise them and the tests walk them.
 */
export const LIMITS = {
  /** `pull.max_batch`: rows examined by one pull (S000-15). */
  maxBatch: 200,
  /** UTF-8 bytes of the items of one window; a window is never below one row. */
  windowBytes: 512 * 1024,
  /** UTF-16 code units of a message body (ais 8). */
  body: 8000,
  /** Seconds (ais 6). */
  ttl: { min: 300, max: 604_800, default: 604_800 },
  /** Undelivered messages a recipient, and a sender and recipient (S004-52, -53). */
  inboxCapacity: 2000,
  pairCapacity: 500,
  /** Characters. */
  messageId: 128,
  taskId: 128,
  label: 128,
  scope: 256,
  scopes: 64,
  tag: 128,
  tags: 32,
  /** UTF-8 bytes of a request body: 8,000 units cost at most 48,000 bytes when every one is escaped. */
  requestBody: 128 * 1024,
  /** `pulled_at` is written at most this often, ms. */
  pulledEvery: 60_000,
  /** Expired rows that one send clears away. */
  purgeBatch: 32,
} as const;

export const KINDS = ['task', 'update', 'question', 'decision', 'handoff', 'ack'] as const;
export type Kind = (typeof KINDS)[number];

/** Score of a bridged delivery, fixed on append (S000-24); a sender cannot set it. */
const SCORES: Record<string, number> = { question: 0.8, handoff: 0.8, decision: 0.8, task: 0.7, update: 0.4, ack: 0.2 };

/** 0 to 1. Kinds that no toolset of ours names count .3. */
export function scoreOf(kind: string): number {
  return SCORES[kind] ?? 0.3;
}
