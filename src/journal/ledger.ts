import { ackFloor } from '../core/floor.ts';
import { type RowId, rowKey } from '../delivery.ts';
import type { AckRequest, Page } from '../sources/source.ts';
import { emptyJournal, type Intent, type JournalFile } from './state.ts';

/** Longest that unproven items stay with the session they were printed for, ms: longer than most turns, or mail repeats. */
export const LEASE_MS = 10 * 60_000;
/** An intent that no transcript ever proved is forgotten after this, ms; its items were offered again long before. */
const INTENT_KEEP_MS = 24 * 60 * 60_000;
/** Each keeps its block, 9 KB at most; a client that never proves must not make every turn read more. */
const MAX_INTENTS = 16;
/** Clocks of one machine may step back a little without meaning anything, ms. */
const CLOCK_SLACK_MS = 60_000;

const idOf = ({ seq, id }: RowId): RowId => ({ seq, id });

export function provenKeys(state: JournalFile): Set<string> {
  return new Set(state.proven.map(entry => rowKey(entry)));
}

/** Marks rows as handled: proven shown, or settled by policy. */
export function settle(state: JournalFile, rows: readonly RowId[]): void {
  const known = provenKeys(state);
  for (const entry of rows) {
    const key = rowKey(entry);
    if (!known.has(key)) state.proven.push(idOf(entry));
    known.add(key);
    delete state.showings[key];
  }
  state.intents = state.intents.filter(intent => intent.items.some(entry => !known.has(rowKey(entry))));
}

/** Takes proven intents over into the journal and forgets intents that nothing can come of any more. */
export function settleProven(state: JournalFile, proven: readonly Intent[], now: number): void {
  settle(
    state,
    proven.flatMap(intent => intent.items),
  );
  state.intents = state.intents
    .filter(intent => !proven.includes(intent) && Math.abs(now - intent.printedAt) < INTENT_KEEP_MS)
    .slice(-MAX_INTENTS);
}

/**
 * In `next-turn` mode the session's next run is taken for proof that its last block was shown.
 *
 * @param session of the present run; an empty one (pipes) is followed by any run
 */
export function followedUp(state: JournalFile, session: string): Intent[] {
  return state.intents.filter(
    intent => intent.mode === 'next-turn' && (intent.session === session || intent.session === ''),
  );
}

/**
 * How far the server may be told to go: below the lowest visible row of the last view, or row of an open intent, that
 * is not handled; never stored as a number. Undefined when that is not beyond the cursor.
 */
export function ackGoal(state: JournalFile): AckRequest | undefined {
  const { view } = state;
  if (!view) return undefined;
  const seq = ackFloor({
    windowHigh: view.windowHigh,
    visible: view.rows,
    open: state.intents.flatMap(intent => intent.items),
    handled: provenKeys(state),
  });
  if (seq <= state.cursor) return undefined;
  const known = [...view.rows, ...(view.windowRow ? [view.windowRow] : []), ...state.proven];
  const highest = known.reduce<RowId | undefined>(
    (best, entry) => (entry.seq <= seq && entry.seq > (best?.seq ?? 0) ? entry : best),
    undefined,
  );
  if (state.epoch === null) return { seq };
  // Hidden rows alone are not worth an ack that nothing vouches for: after a backup was copied back under the same
  // epoch, other rows stand at these sequences (found by 20,000 simulated machines).
  return highest && { seq, epoch: state.epoch, row: highest };
}

/** Rows that this run must not show: another session's while its lease lasts, or already in this session's context. */
export function leasedRows(state: JournalFile, session: string, now: number): Set<string> {
  const keys = new Set<string>();
  for (const intent of state.intents) {
    const age = now - intent.printedAt;
    if (age > LEASE_MS || age < -CLOCK_SLACK_MS || intent.status === 'released') continue;
    if (intent.session === session && intent.status !== 'placed') continue;
    for (const entry of intent.items) keys.add(rowKey(entry));
  }
  return keys;
}

/** A server that restarted with another store: everything known by sequence is void, the health is not. */
export function forgetStore(state: JournalFile, epoch: string | null): void {
  const fresh = emptyJournal(state.origin, state.identity, state.generation);
  Object.assign(state, fresh, { epoch, health: state.health });
}

/**
 * Leaves the view of this drain: contiguous pages, the first from the cursor or from an acknowledged goal.
 * Records at or below the cursor are dropped: they are settled on the server.
 */
export function recordPages(state: JournalFile, pages: readonly Page[], lost: boolean): void {
  const last = pages.at(-1);
  if (!last) return;
  const rows = pages.flatMap(page => page.deliveries.map(({ seq, id }) => ({ seq, id })));
  const visible = new Set(rows.map(rowKey));
  // What was not in the windows that were examined is gone or hidden, and what stands there now is another row.
  const examined = (seq: number) => seq > pages[0]!.floor && seq <= last.windowHigh;
  const lives = (entry: RowId) => entry.seq > last.cursor && (!examined(entry.seq) || visible.has(rowKey(entry)));
  state.epoch = last.epoch ?? null;
  state.cursor = last.cursor;
  state.view = {
    windowHigh: last.windowHigh,
    windowRow: last.windowRow ? idOf(last.windowRow) : null,
    rows: rows.filter(entry => entry.seq > last.cursor).map(idOf),
  };
  state.proven = state.proven.filter(lives);
  state.intents = state.intents
    .map(intent => ({ ...intent, items: intent.items.filter(lives) }))
    .filter(intent => intent.items.length > 0);
  const alive = new Set([...rows.map(rowKey), ...state.intents.flatMap(intent => intent.items.map(e => rowKey(e)))]);
  for (const key of Object.keys(state.showings)) if (!alive.has(key)) delete state.showings[key];
  // After a lost journal every waiting row may have been shown before.
  if (lost) for (const entry of rows) state.showings[rowKey(entry)] ??= 1;
}

/** Adds the intent of a block that is about to be printed. */
export function recordIntent(state: JournalFile, intent: Intent): void {
  state.intents.push(intent);
  for (const entry of intent.items) {
    const key = rowKey(entry);
    state.showings[key] = (state.showings[key] ?? 0) + 1;
  }
}
