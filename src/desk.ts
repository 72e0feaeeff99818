import { join } from 'node:path';
import type { Sender, TrustDecision } from './core/trust.ts';
import type { Candidate, Shown, SourceView } from './core/types.ts';
import { type Delivery, rowKey } from './delivery.ts';
import { acknowledge, acknowledgeOnly, type DrainOptions, drainSource } from './drain.ts';
import type { PreturnError } from './errors.ts';
import { harnessNamed } from './harnesses/index.ts';
import { proveIntents } from './harnesses/prove.ts';
import { claimTurn } from './journal/guard.ts';
import { afterFailure, afterSuccess, breakerOpen } from './journal/health.ts';
import { inboxDir, type Journal, openJournal } from './journal/journal.ts';
import * as ledger from './journal/ledger.ts';
import { acquireLease, type Lease } from './journal/lock.ts';
import { notices } from './messages.ts';
import type { InboxReport } from './report.ts';
import type { Run } from './run.ts';
import type { Inbox } from './sources/index.ts';
import type { Page, Source } from './sources/source.ts';

/** The lease outlives the budget by this, ms. */
const LEASE_SLACK_MS = 2000;
/** How long to wait for another run of the same identity, ms; a turn takes about 20. */
const LEASE_WAIT_MS = 300;
/** Transcript bytes read in a run: a prompt waits for it, a Stop does not. */
const PROVE_BYTES = { prompt: 2 * 1024 * 1024, prove: 16 * 1024 * 1024 };
/** Showings without proof at which the human is told once, and an item becomes a bare line. */
const STUCK_AT = 4;

/** One inbox in one run: its lease, its journal, its source and what it brought. */
export interface Desk {
  readonly inbox: Inbox;
  /** One line each for the human. */
  readonly notices: readonly string[];
  settleAndDrain(): Promise<void>;
  /** The run is too late to tell anything: the state that a notice is about counts as not told. */
  keepNotices(): void;
  /** Nothing came that could be shown or settled. */
  isQuiet(): boolean;
  view(decide: (from: Sender) => TrustDecision): SourceView;
  intend(shown: readonly Shown[], block: string, transcriptSize: number): void;
  save(): void;
  afterPrint(shown: readonly Shown[]): Promise<void>;
  report(shown: readonly Shown[]): InboxReport;
  release(): void;
}

/**
 * The inboxes of this run: for a prompt, those that no other copy of the hook has claimed. Who has lost the first one
 * claims no other: two copies would share a prompt, each with a block of its own.
 */
export function claimInboxes(run: Run, inboxes: readonly Inbox[]): readonly Inbox[] {
  if (run.turn.action !== 'prompt') return inboxes;
  const [first, ...others] = inboxes;
  if (first === undefined || !claim(run, first)) return [];
  return [first, ...others.filter(inbox => claim(run, inbox))];
}

function claim({ io, turn, state }: Run, { origin, identity }: Inbox): boolean {
  const key = { origin, identity, session: turn.session, turn: turn.turn, prompt: turn.prompt ?? '' };
  try {
    const claimed = claimTurn(state, key, io.now());
    io.step?.('claimed');
    return claimed;
  } catch (error) {
    return unavailable(error);
  }
}

/**
 * Opens the inbox for this run. Undefined when another session keeps it, or the state directory cannot be written: the
 * inbox is then unavailable, and its mail waits.
 */
export async function openDesk(run: Run, inbox: Inbox, index: number): Promise<Desk | undefined> {
  const { io, state, settings, deadline } = run;
  const dir = inboxDir(state, inbox);
  try {
    const lease = await acquireLease(join(dir, 'lock'), {
      owner: run.nonce,
      leaseMs: settings.budgetMs + LEASE_SLACK_MS,
      waitMs: Math.min(LEASE_WAIT_MS, deadline.left()),
      now: io.now,
      sleep: io.sleep,
    });
    if (!lease) return undefined;
    io.step?.('leased');
    const source = io.open(inbox, {
      env: io.env,
      left: deadline.left,
      now: io.now,
      packageDir: settings.packageDir,
    });
    return createDesk(run, inbox, index, source, openJournal(dir, inbox, run.nonce, io.fsync), lease);
  } catch (error) {
    unavailable(error);
    return undefined;
  }
}

/** Only the file system's errors mean that an inbox is unavailable; a test's death must stay one. */
function unavailable(error: unknown): false {
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return false;
}

function createDesk(run: Run, inbox: Inbox, index: number, source: Source, journal: Journal, lease: Lease): Desk {
  const { io, turn, settings, deadline, harness } = run;
  const { state } = journal;
  const before = state.cursor;
  const knownHealth = state.health.state;
  const told: string[] = [];
  let pages: readonly Page[] = [];
  let outcome: InboxReport['state'] = 'skipped';
  let failure: PreturnError | undefined;
  let proven = 0;

  function drainOptions(): DrainOptions {
    const goal = ledger.ackGoal(state);
    const known = ledger.provenKeys(state);
    return {
      limit: settings.limit,
      goal,
      epoch: state.epoch,
      // Without an epoch an ack rests on the rows: those at or below the goal must be the ones we settled.
      matches: page => page.deliveries.every(row => row.seq > (goal?.seq ?? 0) || known.has(rowKey(row))),
      signal: deadline.signal,
      left: deadline.left,
    };
  }

  function prove(): void {
    const now = io.now();
    const bytes = PROVE_BYTES[turn.action === 'prompt' ? 'prompt' : 'prove'];
    const done = [...proveIntents(state.intents, harnessNamed, bytes), ...ledger.followedUp(state, turn.session)];
    proven = done.length;
    ledger.settleProven(state, done, now);
  }

  async function drain(): Promise<void> {
    const options = drainOptions();
    const stamp = source.stamp?.();
    const quiet = options.goal === undefined && state.intents.length === 0;
    if (quiet && stamp !== undefined && stamp === state.emptyStamp) {
      outcome = 'unchanged';
      return;
    }
    const drained = await drainSource(source, options);
    io.step?.('pulled');
    if (drained.reset && drained.pages.length > 0) ledger.forgetStore(state, drained.pages[0]!.epoch ?? null);
    pages = drained.pages;
    ledger.recordPages(state, pages, journal.lost);
    failure = drained.error;
    outcome = pages.length > 0 ? 'drained' : 'failed';
    const empty = failure === undefined && pages.every(page => !page.hasMore) && isEmpty();
    state.emptyStamp = empty && stamp !== undefined && source.stamp?.() === stamp ? stamp : null;
    noteHealth();
  }

  function isEmpty(): boolean {
    return state.view?.rows.length === 0 && state.cursor >= state.view.windowHigh && state.intents.length === 0;
  }

  function noteHealth(): void {
    const change =
      failure !== undefined && pages.length === 0
        ? afterFailure(state.health, failure.code, inbox.origin, io.now())
        : afterSuccess(state.health, inbox.origin);
    state.health = change.health;
    if (change.notice !== null) told.push(change.notice);
  }

  async function acknowledgeProven(): Promise<void> {
    outcome = 'proved';
    try {
      const cursor = await acknowledgeOnly(source, drainOptions());
      if (cursor !== undefined) state.cursor = Math.max(state.cursor, cursor);
    } catch (error) {
      // The next prompt sends the ack again; a Stop has nobody to tell.
      failure = error as PreturnError;
    }
  }

  /** Fresh rows in the order pulled: not settled, and free for this session. */
  function fresh(): Delivery[] {
    const taken = new Set([...ledger.provenKeys(state), ...ledger.leasedRows(state, turn.session, io.now())]);
    return pages.flatMap(page => page.deliveries).filter(row => row.seq > state.cursor && !taken.has(rowKey(row)));
  }

  function candidate(delivery: Delivery): Candidate {
    return { delivery, unproven: state.showings[rowKey(delivery)] ?? 0 };
  }

  const mine = (shown: readonly Shown[]) => shown.filter(item => item.source === inbox.name);

  return {
    inbox,
    notices: told,

    async settleAndDrain() {
      prove();
      io.step?.('proved');
      if (breakerOpen(state.health, io.now())) return;
      await (turn.action === 'prompt' ? drain() : acknowledgeProven());
    },

    keepNotices() {
      state.health = { ...state.health, state: knownHealth };
    },

    isQuiet: () => pages.every(page => page.deliveries.length === 0),

    view(decide) {
      const items: Candidate[] = [];
      let withheld = 0;
      let settled = 0;
      for (const delivery of fresh()) {
        const trust = decide(delivery);
        if (trust.decision === 'show') items.push(candidate(delivery));
        if (trust.decision === 'withhold') withheld++;
        if (!trust.settled) continue;
        ledger.settle(state, [delivery]);
        if (trust.decision === 'withhold') settled++;
      }
      if (settled > 0) told.push(notices.withheld(settled));
      const hasMore = pages.at(-1)?.hasMore ?? false;
      return { name: inbox.name, index, origin: inbox.origin, items, hasMore, withheld };
    },

    intend(shown, block, transcriptSize) {
      const items = mine(shown).map(({ seq, id }) => ({ seq, id }));
      if (items.length === 0 || settings.ack === 'after-print') return;
      const confirmed = settings.ack === 'confirmed' && harness.proof === 'transcript' && turn.transcript !== undefined;
      ledger.recordIntent(state, {
        nonce: run.nonce,
        harness: harness.name,
        session: turn.session,
        ...(turn.turn === undefined ? {} : { turn: turn.turn }),
        mode: confirmed ? 'confirmed' : 'next-turn',
        ...(turn.transcript === undefined ? {} : { transcript: turn.transcript }),
        offset: transcriptSize,
        skipping: false,
        block,
        printedAt: io.now(),
        items,
        status: 'open',
        turnSeen: false,
        leaves: [],
      });
      // Told once an item: this printing has moved its count on.
      const stuck = items.filter(item => state.showings[rowKey(item)] === STUCK_AT + 1).map(item => item.seq);
      if (stuck.length > 0) told.push(notices.stuck(stuck));
    },

    save: () => journal.save(),

    async afterPrint(shown) {
      if (settings.ack !== 'after-print' || mine(shown).length === 0) return;
      ledger.settle(state, mine(shown));
      // Not after a faulty answer: what is settled here, the next run acknowledges.
      const goal = failure === undefined ? ledger.ackGoal(state) : undefined;
      try {
        if (goal) state.cursor = Math.max(state.cursor, await acknowledge(source, goal, state.cursor, deadline.signal));
      } catch (error) {
        failure = error as PreturnError;
      }
      journal.save();
    },

    report(shown) {
      return {
        name: inbox.name,
        origin: inbox.origin,
        state: outcome,
        ...(failure === undefined ? {} : { error: failure.code }),
        pulled: pages.reduce((sum, page) => sum + page.deliveries.length, 0),
        proven,
        cursor: { before, after: state.cursor },
        shown: mine(shown).map(({ seq, tier }) => ({ seq, tier })),
      };
    },

    release: () => lease.release(),
  };
}
