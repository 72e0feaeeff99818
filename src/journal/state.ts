import {
  flag,
  type Infer,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
} from '../lib/shape.ts';

/**
 * The journal's file format. It is a local record by (sequence, id); the server owns the cursor.
 * Losing it costs repeats, never mail.
 */
const Row = object({ seq: integer(1), id: text() });

const IntentShape = object({
  /** The receipt in the block's closing line. */
  nonce: text(),
  harness: text(),
  session: text(),
  turn: optional(text()),
  /** `confirmed`: waits for proof in the transcript. `next-turn`: the session's next run is taken for proof. */
  mode: oneOf('confirmed', 'next-turn'),
  transcript: optional(text()),
  /** Where reading goes on: UTF-8 bytes from the start; the size at print time first. */
  offset: integer(0),
  /** The reader stands inside a record too long to parse. */
  skipping: flag,
  /** The whole block, to be found again whole: a client may cut the middle and keep the receipt. */
  block: text(),
  /** Epoch ms of printing. */
  printedAt: number,
  items: list(Row),
  /** `open` nothing seen yet · `placed` stands whole in the transcript, no answer yet · `released` discarded or passed over. */
  status: oneOf('open', 'placed', 'released'),
  /** The client has begun the turn that this block was printed for. */
  turnSeen: flag,
  /** Newest records that descend from ours; the proving answer must hang below one of them (forks, rewinds). */
  leaves: list(text()),
});

const ViewShape = object({
  /** Top of the contiguous windows that the last drain examined. */
  windowHigh: integer(0),
  /** Row at windowHigh, where the server stated it. */
  windowRow: nullable(Row),
  /** Visible rows above the ack of that drain. */
  rows: list(Row),
});

const HealthShape = object({
  state: oneOf('ok', 'lost', 'refused', 'garbage'),
  /** Consecutive failed turns. */
  failures: integer(),
  /** Epoch ms until which the breaker skips this source. */
  openUntil: number,
});

export const JournalShape = object({
  v: oneOf(1),
  generation: integer(),
  origin: text(),
  identity: text(),
  /** Identity of the store's incarnation; null before the first page and for servers without epochs. */
  epoch: nullable(text()),
  cursor: integer(0),
  proven: list(Row),
  intents: list(IntentShape),
  view: nullable(ViewShape),
  /** How often a row was printed without proof, by row key. */
  showings: record(integer(1)),
  health: HealthShape,
  /** Stamp of a `file:` store when this inbox was last found empty. */
  emptyStamp: nullable(text()),
});

export type JournalFile = Infer<typeof JournalShape>;
export type Intent = JournalFile['intents'][number];
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
