import { rowKey } from '../delivery.ts';
import { acknowledge } from '../drain.ts';
import type { Journal } from '../journal/journal.ts';
import * as ledger from '../journal/ledger.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import type { AckRequest, Page, Source } from '../sources/source.ts';
import type { Context, Result } from './shared/context.ts';
import { chosenInbox, PATIENCE_MS, sourceOf } from './shared/inboxes.ts';
import { withJournal } from './shared/journal.ts';
import { flag, integer, integerOption } from './shared/options.ts';
import { inSequence, walk } from './shared/walk.ts';

/** `preturn ack <seq> | --through N | --all` */
export async function run(context: Context): Promise<Result> {
  const { args } = context;
  const max = Number.MAX_SAFE_INTEGER;
  const through = integerOption(context, 'through', 1, max);
  const given = [args[0] !== undefined, through !== undefined, flag(context, 'all')].filter(Boolean).length;
  if (given !== 1) throw cliFailures.ackOneOf();
  const one = args[0] === undefined ? undefined : integer('seq', args[0], 1, max);
  const { inbox } = chosenInbox(context);
  const source = sourceOf(context, inbox);
  const work = withJournal(context, inbox, journal =>
    one === undefined ? ackThrough(journal, source, through ?? max) : ackOne(journal, source, one),
  );
  return context.waiting(inbox.origin, work);
}

const patience = () => AbortSignal.timeout(PATIENCE_MS);

/** Looks at the inbox up to `seq` and brings the journal's view up to date. */
async function look(journal: Journal, source: Source, seq: number): Promise<Page[]> {
  const { state } = journal;
  const pages = await walk(source, patience, sofar => sofar.at(-1)!.windowHigh >= seq);
  const epoch = pages[0]!.epoch ?? null;
  if (state.epoch !== epoch) ledger.forgetStore(state, epoch);
  ledger.recordPages(state, pages, journal.lost);
  return pages;
}

/** Settles one item: the cursor moves when everything below is settled too, now or with a later turn. */
async function ackOne(journal: Journal, source: Source, seq: number): Promise<Result> {
  const { state } = journal;
  const pages = await look(journal, source, seq);
  if (seq <= state.cursor) return { text: says.alreadyAcked(seq, state.cursor), data: { seq, cursor: state.cursor } };
  const row = inSequence(pages).find(delivery => delivery.seq === seq);
  if (!row) throw cliFailures.noSuchMessage(seq, source.name);
  ledger.settle(state, [row]);
  // Durable before the server hears of it: a death in between costs nothing.
  journal.save();
  const goal = ledger.ackGoal(state);
  if (goal) await advance(journal, source, goal);
  const known = ledger.provenKeys(state);
  const waitsFor = inSequence(pages).find(one => one.seq > state.cursor && one.seq < seq && !known.has(rowKey(one)));
  return {
    text: says.settled(seq, state.cursor, waitsFor?.seq),
    data: { seq, cursor: state.cursor, acknowledged: state.cursor >= seq },
  };
}

/** Cumulative. Never above a window that was received (rule 40), and only in the store that was looked at. */
async function ackThrough(journal: Journal, source: Source, through: number): Promise<Result> {
  const { state } = journal;
  const pages = await look(journal, source, through);
  const last = pages.at(-1)!;
  const seq = Math.min(through, last.windowHigh);
  const before = state.cursor;
  if (seq <= before) return { text: says.nothingToAck(before), data: { cursor: before, moved: 0 } };
  const below = inSequence(pages).filter(row => row.seq <= seq);
  const highest = seq === last.windowHigh && last.windowRow ? last.windowRow : below.at(-1);
  journal.save();
  await advance(journal, source, {
    seq,
    ...(last.epoch === undefined ? {} : { epoch: last.epoch }),
    ...(highest === undefined ? {} : { row: { seq: highest.seq, id: highest.id } }),
  });
  if (state.cursor < seq) throw cliFailures.ackIgnored(seq, state.cursor);
  return {
    text: says.ackedThrough(state.cursor, below.length),
    data: { cursor: state.cursor, moved: state.cursor - before, messages: below.length },
  };
}

/** Window by window, until the goal is reached or the server stops moving (rule 41). */
async function advance(journal: Journal, source: Source, goal: AckRequest): Promise<void> {
  const { state } = journal;
  for (;;) {
    const cursor = await acknowledge(source, goal, state.cursor, patience());
    const moved = cursor > state.cursor;
    state.cursor = Math.max(state.cursor, cursor);
    journal.save();
    if (!moved || state.cursor >= goal.seq) return;
  }
}
