import { PreturnError } from './errors.ts';
import { failures } from './messages.ts';
import type { AckRequest, Page, PullRequest, Source } from './sources/source.ts';

/** At most this many pages of fresh rows a source and turn. */
const MAX_PAGES = 2;
/** No further page when this much came already, UTF-8 bytes. */
const MAX_BYTES = 512 * 1024;
/** Calls that only move the cursor on: each moves it by the server's window at most. */
const MAX_ACK_CALLS = 4;
/** Page floor above every row: the answer of an ack-only call carries no items (rule 16). */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

export interface DrainOptions {
  readonly limit: number;
  /** What may be acknowledged; absent on a first run and when nothing moved. */
  readonly goal: AckRequest | undefined;
  /** Epoch that the journal knows, null when the server states none. */
  readonly epoch: string | null;
  /** Whether a bare page agrees with the journal: asked of servers without epochs before anything is acknowledged. */
  readonly matches: (page: Page) => boolean;
  readonly signal: AbortSignal;
  /** Working time left, ms. */
  readonly left: () => number;
}

export interface Drained {
  /** Contiguous pages that arrived in time; what did not arrive is unread. */
  readonly pages: readonly Page[];
  /** The server is another incarnation than the journal knows: forget the journal, then take the pages. */
  readonly reset: boolean;
  /** Why the drain ended early; earlier pages are good all the same. */
  readonly error?: PreturnError;
}

/** Drains one source: acknowledges the goal with the first pull and reads on while rows wait and time lasts. */
export async function drainSource(source: Source, options: DrainOptions): Promise<Drained> {
  const pages: Page[] = [];
  let reset = false;
  let error: PreturnError | undefined;
  const begun = options.left();
  try {
    const first = await firstPage(source, options);
    reset = first.reset;
    pages.push(first.page);
    await readOn(source, options, pages, first.goal, begun);
  } catch (thrown) {
    error = asPreturnError(thrown, source.origin);
  }
  return { pages: hasGap(pages) ? [] : pages, reset, ...(error && { error }) };
}

/**
 * Whether rows lie between the cursor and the pages: the ack that rode on the first pull has not reached its goal.
 * A view over such pages would let the next ack pass rows that nobody saw.
 */
function hasGap(pages: readonly Page[]): boolean {
  return pages.length > 0 && pages[0]!.floor > pages.at(-1)!.cursor;
}

interface First {
  readonly page: Page;
  readonly reset: boolean;
  /** What is still to be acknowledged. */
  readonly goal: AckRequest | undefined;
}

async function firstPage(source: Source, { limit, goal, epoch, matches, signal }: DrainOptions): Promise<First> {
  const bare: PullRequest = { limit };
  if (goal === undefined) {
    const page = await source.pull(bare, signal);
    return { page, reset: epoch !== (page.epoch ?? null), goal };
  }
  if (goal.epoch !== undefined) {
    // Everything up to the goal is handled, so the page may begin above it: ack and fresh rows in one round trip.
    const page = await source.pull({ limit, since: goal.seq, ack: goal }, signal);
    if (page.epoch === goal.epoch && (page.ack === undefined || page.ack === 'applied')) {
      return { page, reset: false, goal };
    }
    return { page: await source.pull(bare, signal), reset: true, goal: undefined };
  }
  const page = await source.pull(bare, signal);
  if (page.epoch !== undefined || !matches(page)) return { page, reset: true, goal: undefined };
  const ack = { seq: Math.min(goal.seq, page.windowHigh) };
  if (ack.seq <= page.cursor) return { page, reset: false, goal: undefined };
  return { page: await source.pull({ limit, ack }, signal), reset: false, goal: undefined };
}

async function readOn(
  source: Source,
  options: DrainOptions,
  pages: Page[],
  goal: AckRequest | undefined,
  begun: number,
): Promise<void> {
  const { limit, signal, left } = options;
  let bytes = pages[0]!.bytes;
  while (pages.length < MAX_PAGES && bytes < MAX_BYTES) {
    const last = pages.at(-1)!;
    const roundTrip = (begun - left()) / pages.length;
    if (!last.hasMore || signal.aborted || left() <= 2 * roundTrip) break;
    const ack = goal && last.cursor < goal.seq ? { ack: goal } : {};
    const page = await source.pull({ limit, since: last.windowHigh, ...ack }, signal);
    checkOrder(last, page, source.origin);
    // Another incarnation between two pages: the first page stands alone, and the next turn begins anew.
    if (page.epoch !== last.epoch) return;
    pages.push(page);
    bytes += page.bytes;
  }
  if (goal && pages.at(-1)!.cursor < goal.seq) {
    const cursor = await acknowledge(source, goal, pages.at(-1)!.cursor, signal);
    pages[pages.length - 1] = { ...pages.at(-1)!, cursor };
  }
  if (!hasGap(pages)) return;
  // The relay keeps back a row below the goal that we have not seen (scopes widened, a backup restored): look there.
  const bare = await source.pull({ limit }, signal);
  if (bare.epoch === pages[0]!.epoch) pages.splice(0, pages.length, bare);
}

/** A window that does not move while rows wait, or a cursor that goes back, is a broken server (rule 42). */
function checkOrder(last: Page, page: Page, origin: string): void {
  if (page.cursor < last.cursor) throw failures.badReply(origin, 'its cursor went back');
  if (page.hasMore && page.windowHigh <= last.windowHigh) throw failures.badReply(origin, 'its window stands still');
}

/**
 * Moves the cursor to the goal, window by window, and reads nothing: for Stop and SessionEnd, and for `after-print`.
 *
 * @returns the cursor reached; it may stop below the goal when the server ignores the ack
 */
export async function acknowledge(
  source: Source,
  goal: AckRequest,
  from: number,
  signal: AbortSignal,
): Promise<number> {
  let cursor = from;
  for (let call = 0; call < MAX_ACK_CALLS && cursor < goal.seq; call++) {
    const page = await source.pull({ since: ABOVE_ALL, ack: goal }, signal);
    if (page.cursor <= cursor) return Math.max(cursor, page.cursor);
    cursor = page.cursor;
  }
  return cursor;
}

/**
 * The ack of a run that shows nothing. A server without epochs is looked at first.
 *
 * @returns the cursor reached, or undefined when nothing was acknowledged
 */
export async function acknowledgeOnly(source: Source, options: DrainOptions): Promise<number | undefined> {
  const { goal, limit, matches, signal } = options;
  if (!goal) return undefined;
  if (goal.epoch !== undefined) return acknowledge(source, goal, 0, signal);
  const page = await source.pull({ limit }, signal);
  if (page.epoch !== undefined || !matches(page)) return undefined;
  const seq = Math.min(goal.seq, page.windowHigh);
  return seq > page.cursor ? acknowledge(source, { seq }, page.cursor, signal) : page.cursor;
}

function asPreturnError(error: unknown, origin: string): PreturnError {
  if (error instanceof PreturnError) return error;
  return failures.unreachable(origin, error instanceof Error ? error.message : String(error));
}
