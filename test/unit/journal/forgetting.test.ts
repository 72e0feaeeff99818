import { expect, it } from 'vitest';
import { ackGoal, leasedRows, provenKeys, recordIntent, settleProven } from '../../../src/journal/ledger.ts';
import { emptyJournal, type Intent, type JournalFile } from '../../../src/journal/state.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const intent = (seq: number, printedAt: number): Intent => ({
  nonce: `n${seq}`,
  harness: 'claude-code',
  session: 's',
  mode: 'confirmed',
  offset: 0,
  skipping: false,
  block: 'b',
  printedAt,
  items: [{ seq, id: 'x' }],
  status: 'open',
  turnSeen: false,
  leaves: [],
});
const journal = (...intents: Intent[]): JournalFile => ({ ...emptyJournal('o', 'i', 1), intents });
const kept = (state: JournalFile) => state.intents.map(one => one.items[0]!.seq);

it('an intent that nothing proved for a day is forgotten, and so is one from a future that a clock made up', () => {
  const state = journal(intent(1, NOW - 25 * HOUR), intent(2, NOW - 23 * HOUR), intent(3, NOW + 25 * HOUR));
  settleProven(state, [], NOW);
  expect(kept(state)).toEqual([2]);
});

it('of a client that never proves anything the newest sixteen are kept', () => {
  const state = journal(...Array.from({ length: 20 }, (_, i) => intent(i + 1, NOW)));
  settleProven(state, [], NOW);
  expect(kept(state)).toEqual(Array.from({ length: 16 }, (_, i) => i + 5));
});

it('what is proven is settled, and ends every other intent that holds nothing else', () => {
  const state = journal(intent(1, NOW), intent(1, NOW), intent(2, NOW));
  settleProven(state, [state.intents[0]!], NOW);
  expect([[...provenKeys(state)], kept(state)]).toEqual([['1:x'], [2]]);
});

it('a forgotten intent holds neither its items nor the floor', () => {
  const state = journal();
  state.view = { windowHigh: 3, windowRow: { seq: 3, id: 'hidden' }, rows: [] };
  state.epoch = 'e';
  recordIntent(state, intent(2, NOW - 25 * HOUR));
  expect(ackGoal(state)).toBeUndefined();
  settleProven(state, [], NOW);
  expect([ackGoal(state)?.seq, leasedRows(state, 'other', NOW).size]).toEqual([3, 0]);
});

it('there is no goal where the cursor already is', () => {
  const state = {
    ...journal(),
    epoch: 'e',
    cursor: 3,
    view: { windowHigh: 3, windowRow: { seq: 3, id: 'x' }, rows: [] },
  };
  expect(ackGoal(state)).toBeUndefined();
});
