import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inboxDir, openJournal } from '../../../src/journal/journal.ts';
import * as ledger from '../../../src/journal/ledger.ts';
import { emptyJournal } from '../../../src/journal/state.ts';
import { cases } from '../../helpers/cases.ts';

const KEY = { origin: 'o', identity: 'i' };
let dir: string;
beforeAll(() => {
  dir = inboxDir(mkdtempSync(join(tmpdir(), 'preturn-fuzz-')), KEY);
  mkdirSync(dir, { recursive: true });
});
afterAll(() => rmSync(dirname(dirname(dir)), { recursive: true, force: true }));

const seq = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 1, max: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1.5) },
);
const row = fc.record({ seq, id: fc.constantFrom('a', 'b') });
/** A valid journal with some fields replaced by anything. */
const damaged = fc
  .tuple(
    fc.record({
      proven: fc.array(row, { maxLength: 6 }),
      view: fc.option(
        fc.record({
          windowHigh: seq,
          windowRow: fc.option(row),
          rows: fc.array(row, { maxLength: 6 }),
        }),
      ),
      cursor: seq,
    }),
    fc.option(fc.tuple(fc.constantFrom(...Object.keys(emptyJournal('', '', 1))), fc.jsonValue())),
  )
  .map(([some, change]) => ({
    ...emptyJournal(KEY.origin, KEY.identity, 1),
    ...some,
    ...(change && { [change[0]]: change[1] }),
  }));

it('any journal file: it opens, or is lost; a goal never passes its window, nor an unhandled row of it', () => {
  let whole = 0;
  fc.assert(
    fc.property(fc.oneof(damaged, fc.jsonValue()), content => {
      writeFileSync(join(dir, 'generation'), '1\n');
      writeFileSync(join(dir, 'journal.json'), JSON.stringify(content));
      const { state, lost } = openJournal(dir, KEY, 'x', () => {});
      if (lost) {
        expect(state).toEqual(emptyJournal(KEY.origin, KEY.identity, 2));
        return;
      }
      whole++;
      const goal = ledger.ackGoal(state);
      if (!goal) return;
      expect(goal.seq).toBeGreaterThan(state.cursor);
      expect(goal.seq).toBeLessThanOrEqual(state.view!.windowHigh);
      const handled = ledger.provenKeys(state);
      for (const open of state.view!.rows)
        if (!handled.has(`${open.seq}:${open.id}`)) expect(goal.seq).toBeLessThan(open.seq);
    }),
    { numRuns: cases() },
  );
  expect(whole, 'some of these journals must be valid').toBeGreaterThan(20);
});
