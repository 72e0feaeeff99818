import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ackFloor, contiguousHigh } from '../../../src/core/floor.ts';
import { type RowId, rowKey } from '../../../src/delivery.ts';
import { cases } from '../../helpers/cases.ts';

const numRuns = cases();
const seq = fc.integer({ min: 1, max: 30 });
const row = fc.record({ seq, id: fc.constantFrom('a', 'b') }) satisfies fc.Arbitrary<RowId>;

it('never passes a row that is not handled, never the window, and is the largest such sequence', () => {
  fc.assert(
    fc.property(
      fc.array(row),
      fc.array(row),
      fc.array(row),
      fc.integer({ min: 0, max: 30 }),
      (visible, open, done, windowHigh) => {
        const handled = new Set(done.map(rowKey));
        const floor = ackFloor({ windowHigh, visible, open, handled });
        // Brute force: the largest number up to the window with nothing unhandled at or below it.
        const safe = (n: number) => [...visible, ...open].every(r => r.seq > n || handled.has(rowKey(r)));
        let largest = 0;
        for (let n = 0; n <= windowHigh; n++) if (safe(n)) largest = n;
        expect(floor).toBe(largest);
        expect(safe(floor)).toBe(true);
      },
    ),
    { numRuns },
  );
});

it('windows count as far as every sequence above the cursor was examined', () => {
  const window = fc.tuple(seq, seq).map(([a, b]) => ({ from: Math.min(a, b), high: Math.max(a, b) }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 }), fc.array(window, { maxLength: 6 }), (cursor, windows) => {
      let high = cursor;
      while (windows.some(w => w.from < high + 1 && w.high >= high + 1)) high += 1;
      expect(contiguousHigh(cursor, windows)).toBe(high);
    }),
    { numRuns },
  );
});

it('turns that show anything in any order and prove some of it lose nothing and pin nothing', () => {
  const turn = fc.record({ shown: fc.array(seq), proven: fc.boolean() });
  fc.assert(
    fc.property(fc.uniqueArray(seq), fc.array(turn, { maxLength: 12 }), (rows, turns) => {
      const all = rows.map(n => ({ seq: n, id: 'a' }));
      const handled = new Set<string>();
      let cursor = 0;
      for (const { shown, proven } of turns) {
        const visible = all.filter(r => r.seq > cursor);
        const items = visible.filter(r => shown.includes(r.seq) && !handled.has(rowKey(r)));
        if (proven) for (const r of items) handled.add(rowKey(r));
        const floor = ackFloor({ windowHigh: 30, visible, open: proven ? [] : items, handled });
        cursor = Math.max(cursor, floor);
        for (const r of all) if (r.seq <= cursor) expect(handled.has(rowKey(r))).toBe(true);
      }
      for (const r of all) handled.add(rowKey(r));
      expect(ackFloor({ windowHigh: 30, visible: all, open: [], handled })).toBe(30);
    }),
    { numRuns },
  );
});
