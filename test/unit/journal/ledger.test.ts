import { describe, expect, it } from 'vitest';
import * as ledger from '../../../src/journal/ledger.ts';
import { emptyJournal, type Intent, type JournalFile } from '../../../src/journal/state.ts';
import type { Page } from '../../../src/sources/source.ts';

const row = (seq: number, id = `d${seq}`) => ({ seq, id });
const page = (
  rows: { seq: number; id: string }[],
  cursor: number,
  windowHigh: number,
  more: Partial<Page> = {},
): Page => ({
  deliveries: rows.map(({ seq, id }) => ({
    source: 's',
    origin: 'o',
    seq,
    id,
    senderId: '',
    sender: '',
    kind: '',
    score: 0,
    body: '',
  })),
  floor: cursor,
  cursor,
  windowHigh,
  hasMore: false,
  bytes: 0,
  epoch: 'e1',
  ...more,
});
const intent = (items: { seq: number; id: string }[], more: Partial<Intent> = {}): Intent => ({
  nonce: 'n',
  harness: 'claude-code',
  session: 'here',
  mode: 'confirmed',
  offset: 0,
  skipping: false,
  block: 'b',
  printedAt: 1000,
  items,
  status: 'open',
  turnSeen: false,
  leaves: [],
  ...more,
});
function journal(pages: Page[], more: Partial<JournalFile> = {}): JournalFile {
  const state = { ...emptyJournal('o', 'i', 1), ...more };
  ledger.recordPages(state, pages, false);
  return state;
}

describe('ackGoal', () => {
  it('is nothing before anything is handled, and window_high when everything is', () => {
    const state = journal([page([row(41), row(43)], 38, 47, { windowRow: row(47, 'hidden') })]);
    expect(ledger.ackGoal(state), 'no row that it knows vouches for 39 and 40').toBeUndefined();
    expect(ledger.ackGoal({ ...state, epoch: null }), 'a server without epochs is looked at first').toEqual({
      seq: 40,
    });
    ledger.settle(state, [row(43)]);
    expect(ledger.ackGoal(state)).toBeUndefined();
    ledger.settle(state, [row(41)]);
    expect(ledger.ackGoal(state)).toEqual({ seq: 47, epoch: 'e1', row: row(47, 'hidden') });
  });

  it('stays below an item of an open intent, and names the highest row it knows', () => {
    const state = journal([page([row(1), row(2), row(3)], 0, 5)]);
    ledger.settle(state, [row(1), row(2), row(3)]);
    ledger.recordIntent(state, intent([row(5)]));
    expect(ledger.ackGoal(state)).toEqual({ seq: 4, epoch: 'e1', row: row(3) });
  });

  it('goes by id: another row at a proven sequence is not proven', () => {
    const state = journal([page([row(1)], 0, 1)]);
    ledger.settle(state, [row(1, 'other')]);
    expect(ledger.ackGoal(state)).toBeUndefined();
  });
});

describe('leases', () => {
  const keys = (state: JournalFile, session: string, now: number) => [...ledger.leasedRows(state, session, now)];
  it('keep an item with its session for ten minutes, whatever clocks do', () => {
    const state = { ...emptyJournal('o', 'i', 1), intents: [intent([row(1)])] };
    expect(keys(state, 'elsewhere', 2000)).toEqual(['1:d1']);
    expect(keys(state, 'here', 2000)).toEqual([]);
    expect(keys(state, 'elsewhere', 1000 + ledger.LEASE_MS + 1)).toEqual([]);
    expect(keys(state, 'elsewhere', 1000 - 3_600_000)).toEqual([]);
  });
  it('end with what released the item, and hold in its own session once it stands in the context', () => {
    const state = {
      ...emptyJournal('o', 'i', 1),
      intents: [intent([row(1)], { status: 'released' }), intent([row(2)], { status: 'placed' })],
    };
    expect(keys(state, 'elsewhere', 2000)).toEqual(['2:d2']);
    expect(keys(state, 'here', 2000)).toEqual(['2:d2']);
  });
});

describe('recordPages', () => {
  it('drops what the server has settled, and what another row replaced', () => {
    const state = journal([page([row(1), row(2), row(3)], 0, 3)]);
    ledger.settle(state, [row(1), row(3)]);
    ledger.recordIntent(state, intent([row(2)]));
    ledger.recordPages(state, [page([row(3, 'new')], 2, 3)], false);
    expect([state.proven, state.intents, state.showings]).toEqual([[], [], {}]);
  });
  it('drops records of rows that its windows do not show any more, and keeps those outside them', () => {
    const state = journal([page([row(1), row(2), row(8)], 0, 9)]);
    ledger.settle(state, [row(2), row(8)]);
    ledger.recordPages(state, [page([row(1)], 0, 5)], false);
    expect(state.proven).toEqual([row(8)]);
    ledger.recordPages(state, [page([row(9)], 0, 9, { floor: 8 })], false);
    expect(state.proven).toEqual([row(8)]);
  });
  it('counts showings until they are proven, and takes everything for shown once after a lost journal', () => {
    const state = journal([page([row(1)], 0, 1)]);
    ledger.recordIntent(state, intent([row(1)]));
    ledger.recordIntent(state, intent([row(1)]));
    expect(state.showings).toEqual({ '1:d1': 2 });
    ledger.settle(state, [row(1)]);
    expect([state.showings, state.intents]).toEqual([{}, []]);
    const fresh = emptyJournal('o', 'i', 2);
    ledger.recordPages(fresh, [page([row(1)], 0, 1)], true);
    expect(fresh.showings).toEqual({ '1:d1': 1 });
  });
});

it('a forgotten store keeps the health and the generation, and nothing by sequence', () => {
  const state = journal([page([row(1)], 0, 1)], {
    health: { state: 'lost', failures: 3, openUntil: 5 },
    generation: 4,
  });
  ledger.settle(state, [row(1)]);
  ledger.forgetStore(state, 'e2');
  expect(state).toEqual({
    ...emptyJournal('o', 'i', 4),
    epoch: 'e2',
    health: { state: 'lost', failures: 3, openUntil: 5 },
  });
});

it('next-turn: the session’s next run follows its own blocks up, and any run those of pipes', () => {
  const state = {
    ...emptyJournal('o', 'i', 1),
    intents: [
      intent([row(1)], { mode: 'next-turn' }),
      intent([row(2)], { mode: 'next-turn', session: '' }),
      intent([row(3)]),
    ],
  };
  expect(ledger.followedUp(state, 'here').flatMap(one => one.items)).toEqual([row(1), row(2)]);
  expect(ledger.followedUp(state, 'elsewhere').flatMap(one => one.items)).toEqual([row(2)]);
});
