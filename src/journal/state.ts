import * as z from 'zod/mini';

/**
 * The journal's file format. It is a local record by (sequence, id); the server owns the cursor.
 * Losing it costs repeats, never mail.
 */
const Seq = z.int().check(z.minimum(1));
const Row = z.tuple([Seq, z.string()]);

const IntentSchema = z.object({
  /** The receipt in the block's closing line. */
  nonce: z.string(),
  harness: z.string(),
  session: z.string(),
  turn: z.optional(z.string()),
  /** `confirmed`: waits for proof in the transcript. `next-turn`: the session's next run is taken for proof. */
  mode: z.enum(['confirmed', 'next-turn']),
  transcript: z.optional(z.string()),
  /** Where reading goes on: UTF-8 bytes from the start; the size at print time first. */
  offset: z.int().check(z.minimum(0)),
  /** The reader stands inside a record too long to parse. */
  skipping: z.boolean(),
  /** UTF-16 units and SHA-256 of the whole block: a client may cut the middle and keep the receipt. */
  length: z.int(),
  hash: z.string(),
  /** Epoch ms of printing. */
  printedAt: z.number(),
  items: z.array(Row),
  /** `open` nothing seen yet · `placed` stands whole in the transcript, no answer yet · `released` discarded or passed over. */
  status: z.enum(['open', 'placed', 'released']),
  /** The client has begun the turn that this block was printed for. */
  turnSeen: z.boolean(),
  /** Newest records that descend from ours; the proving answer must hang below one of them (forks, rewinds). */
  leaves: z.array(z.string()),
});

const ViewSchema = z.object({
  /** Top of the contiguous windows that the last drain examined. */
  windowHigh: z.int().check(z.minimum(0)),
  /** Row at windowHigh, where the server stated it. */
  windowRow: z.nullable(Row),
  /** Visible rows above the ack of that drain. */
  rows: z.array(Row),
});

const HealthSchema = z.object({
  state: z.enum(['ok', 'lost', 'refused', 'garbage']),
  /** Consecutive failed turns. */
  failures: z.int(),
  /** Epoch ms until which the breaker skips this source. */
  openUntil: z.number(),
});

export const JournalSchema = z.object({
  v: z.literal(1),
  generation: z.int(),
  origin: z.string(),
  identity: z.string(),
  /** Identity of the store's incarnation; null before the first page and for servers without epochs. */
  epoch: z.nullable(z.string()),
  cursor: z.int().check(z.minimum(0)),
  proven: z.array(Row),
  intents: z.array(IntentSchema),
  view: z.nullable(ViewSchema),
  /** How often a row was printed without proof, by row key. */
  showings: z.record(z.string(), z.int()),
  health: HealthSchema,
  /** Stamp of a `file:` store when this inbox was last found empty. */
  emptyStamp: z.nullable(z.string()),
});

export type JournalFile = z.infer<typeof JournalSchema>;
export type IntentFile = JournalFile['intents'][number];
export type Intent = IntentFile;
export type View = NonNullable<JournalFile['view']>;
export type Health = JournalFile['health'];

export function emptyJournal(origin: string, identity: string, generation: number): JournalFile {
  return {
    v: 1,
    generation,
    origin,
    identity,
    epoch: null,
    cursor: 0,
    proven: [],
    intents: [],
    view: null,
    showings: {},
    health: { state: 'ok', failures: 0, openUntil: 0 },
    emptyStamp: null,
  };
}
