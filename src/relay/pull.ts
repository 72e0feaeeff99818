import { codeOf } from '../errors.ts';
import { relayFailures } from '../messages-relay.ts';
import { placeOf } from './item.ts';
import { LIMITS } from './limits.ts';
import { type Context, inboxState } from './log.ts';
import { demand, type Principal, visibleTo } from './principal.ts';
import type { InboxState } from './store/statements.ts';
import type { Tx } from './store/store.ts';

/** Arguments of `pull_inbox`: sequences are safe integers ≥ 0, `limit` counts examined rows, ≥ 1. */
export interface PullArgs {
  readonly since?: number | undefined;
  readonly ack?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * What an ack relies on, beside the seed's arguments. `epoch`: the incarnation the client's view came from.
 * `row`: the highest row at or below the ack whose id the client knows.
 */
export interface Guard {
  readonly epoch?: string | undefined;
  readonly row?: { readonly seq: number; readonly id: string } | undefined;
}

export type AckOutcome = 'applied' | 'ignored-epoch' | 'ignored-row';

export interface PullResult {
  /** Visible items as stored, score-first, then by sequence. */
  readonly itemsJson: string[];
  readonly cursor: number;
  readonly windowHigh: number;
  readonly hasMore: boolean;
  readonly epoch: string;
  /** The row at `windowHigh`, hidden or not; absent when the window is empty. */
  readonly windowRow?: { readonly seq: number; readonly id: string };
  /** Present when an ack was sent. */
  readonly ack?: AckOutcome;
}

/**
 * One page of the caller's inbox. With `ack`: the watermark moves to min(ack, top of the window that this call's limit
 * gives from the stored cursor), never down, and the page is read after it, in the same transaction. A bare pull writes
 * nothing but, at most once a minute and only when it found rows, the time of the pull.
 * Throws `bad_input` (changing nothing), `forbidden`, `busy`, `store_unavailable`.
 */
export async function pull(
  context: Context,
  principal: Principal,
  args: PullArgs,
  guard: Guard = {},
): Promise<PullResult> {
  demand(principal, 'drain');
  check(args, guard);
  const { ack } = args;
  if (ack !== undefined) {
    if (principal.tokenScopes !== null) throw relayFailures.peekOnly();
    return context.store.write(async tx => {
      const before = await inboxState(context, tx, principal.inbox);
      const { outcome, cursor } = await acknowledge(context, tx, principal, before, { ...args, ack }, guard);
      return { ...(await page(context, tx, principal, { ...before, cursor }, args)), ack: outcome };
    });
  }
  const [result, pulledAt] = await context.store.read(async tx => {
    const state = await inboxState(context, tx, principal.inbox);
    return [await page(context, tx, principal, state, args), state.pulled_at] as const;
  });
  if (result.windowRow !== undefined && principal.tokenScopes === null) await notePulled(context, principal, pulledAt);
  return result;
}

function check({ since, ack, limit }: PullArgs, { row }: Guard): void {
  checkInteger('since', since, 0);
  checkInteger('ack', ack, 0);
  checkInteger('limit', limit, 1);
  if (row !== undefined && ack !== undefined && row.seq > ack) {
    throw relayFailures.badInput('The row that guards an ack lies above it.', 'Name a row at or below `ack`.');
  }
}

function checkInteger(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  throw relayFailures.badInput(`\`${name}\` must be an integer from ${min} to 2^53−1.`);
}

const windowLimit = (context: Context, args: PullArgs) => Math.min(args.limit ?? context.maxBatch, context.maxBatch);

async function acknowledge(
  context: Context,
  tx: Tx,
  principal: Principal,
  state: InboxState,
  args: PullArgs & { readonly ack: number },
  guard: Guard,
): Promise<{ outcome: AckOutcome; cursor: number }> {
  const { inbox } = principal;
  const { cursor } = state;
  const kept = (outcome: AckOutcome) => ({ outcome, cursor });
  if (guard.epoch !== undefined && guard.epoch !== state.epoch) return kept('ignored-epoch');
  if (guard.row !== undefined) {
    const [found] = await context.statements.deliveryId(tx, { inbox, seq: guard.row.seq });
    if (found?.delivery_id !== guard.row.id) return kept('ignored-row');
  }
  if (args.ack <= cursor) return kept('applied');
  const [window] = await context.statements.windowTop(tx, {
    inbox,
    floor: cursor,
    limit: windowLimit(context, args),
    bytes: context.windowBytes,
  });
  const clamped = Math.min(args.ack, window?.top ?? cursor);
  const target =
    guard.row === undefined
      ? clamped
      : await beforeUnseen(context, tx, principal, Math.max(guard.row.seq, cursor), clamped);
  if (target <= cursor) return kept('applied');
  await context.statements.acknowledge(tx, { inbox, cursor: target, pulledAt: context.clock() });
  return { outcome: 'applied', cursor: target };
}

/**
 * Above the row that the client knows, an ack passes only rows that this agent cannot see, and stops before the first
 * visible one. After an old backup was restored, other rows stand at sequences that the client acknowledges.
 */
async function beforeUnseen(context: Context, tx: Tx, principal: Principal, floor: number, top: number) {
  if (floor >= top) return top;
  const rows = await context.statements.visibility(tx, { inbox: principal.inbox, floor, top });
  const now = context.clock();
  const seen = rows.find(row => row.purged === 0 && visibleTo(principal, row, now));
  return seen === undefined ? top : seen.seq - 1;
}

async function page(
  context: Context,
  tx: Tx,
  principal: Principal,
  state: InboxState,
  args: PullArgs,
): Promise<PullResult> {
  const window = {
    inbox: principal.inbox,
    floor: args.since ?? state.cursor,
    limit: windowLimit(context, args),
    bytes: context.windowBytes,
  };
  const wide = principal.readScopes === null && principal.tokenScopes === null;
  const { top, items } = await (wide ? wholeWindow : scopedWindow)(context, tx, principal, window);
  const { cursor, epoch } = state;
  if (top === undefined) return { itemsJson: [], cursor, windowHigh: cursor, hasMore: false, epoch };
  return {
    itemsJson: items.sort((a, b) => b.score - a.score || a.seq - b.seq).map(({ json }) => json),
    cursor,
    windowHigh: top.seq,
    hasMore: state.head > top.seq,
    epoch,
    windowRow: top,
  };
}

/** A window as read: the row at its top (absent when it is empty) and its visible items. */
interface Window {
  readonly top: { readonly seq: number; readonly id: string } | undefined;
  readonly items: { readonly seq: number; readonly score: number; readonly json: string }[];
}

type ReadWindow = (
  context: Context,
  tx: Tx,
  principal: Principal,
  window: { readonly inbox: number; readonly floor: number; readonly limit: number; readonly bytes: number },
) => Promise<Window>;

/** For a reader of every scope. */
const wholeWindow: ReadWindow = async ({ statements, clock }, tx, _, window) => {
  const [read] = await statements.windowText(tx, { ...window, now: clock() });
  if (read === undefined || read.top === null) return { top: undefined, items: [] };
  const [row] = await statements.deliveryId(tx, { inbox: window.inbox, seq: read.top });
  const items = read.items?.split('\n').map(json => ({ ...placeOf(json), json })) ?? [];
  return { top: row && { seq: read.top, id: row.delivery_id }, items };
};

/** For a reader of some scopes: each row is looked at. */
const scopedWindow: ReadWindow = async ({ statements, clock }, tx, principal, window) => {
  const rows = await statements.window(tx, window);
  const last = rows.at(-1);
  const now = clock();
  return {
    top: last && { seq: last.seq, id: last.delivery_id },
    items: rows
      .filter(row => row.item !== null && visibleTo(principal, row, now))
      .map(({ seq, score, item }) => ({ seq, score, json: item as string })),
  };
};

/** Losing this write costs a minute of "last pulled", so a store that is busy must not cost the turn its mail. */
async function notePulled(context: Context, principal: Principal, pulledAt: number | null): Promise<void> {
  const now = context.clock();
  if (pulledAt !== null && Math.abs(now - pulledAt) < LIMITS.pulledEvery) return;
  try {
    await context.statements.pulled(context.store.db, { inbox: principal.inbox, pulledAt: now });
  } catch (error) {
    if (codeOf(error) !== 'busy' && codeOf(error) !== 'store_unavailable') throw error;
  }
}
