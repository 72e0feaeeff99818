import { describe, expect, it } from 'vitest';
import { ackFloor, contiguousHigh } from '../../../src/core/floor.ts';
import { type RowId, rowKey } from '../../../src/delivery.ts';

const row = (seq: number, id = `d${seq}`): RowId => ({ seq, id });
const rows = (...seqs: number[]) => seqs.map(seq => row(seq));
const floor = (windowHigh: number, visible: number[], handled: number[], open: number[] = []) =>
  ackFloor({
    windowHigh,
    visible: rows(...visible),
    open: rows(...open),
    handled: new Set(rows(...handled).map(rowKey)),
  });

describe('worked example 1: window (38,47] with items 41, 43, 44, 46', () => {
  const items = [41, 43, 44, 46];
  it('every item at a digest or better → 47', () => expect(floor(47, items, items)).toBe(47));
  it('43 and 46 only, by score → 40: 41 holds it', () => expect(floor(47, items, [43, 46])).toBe(40));
  it('41 and 43 only, head first → 43', () => expect(floor(47, items, [41, 43])).toBe(43));
});

describe('worked example 3: window (100,120] with items 103, 110', () => {
  const items = [103, 110];
  it('only 103 → 109', () => expect(floor(120, items, [103])).toBe(109));
  it('only 110 → 102', () => expect(floor(120, items, [110])).toBe(102));
  it('both → 120', () => expect(floor(120, items, items)).toBe(120));
  it('none → 102', () => expect(floor(120, items, [])).toBe(102));
});

describe('ackFloor', () => {
  it('is the top of the window when everything in it is hidden (rule 18)', () => expect(floor(4, [], [])).toBe(4));
  it('stays below a row of an open block that the last view no longer shows', () =>
    expect(floor(47, [41], [41], [39])).toBe(38));
  it('never passes the window, whatever is handled above it', () => expect(floor(47, [41], [41, 60], [60])).toBe(47));
  it('is not held by an open row above the window', () => expect(floor(47, [], [], [60])).toBe(47));
  it('is never negative', () => expect(floor(3, [1], [])).toBe(0));
  it('takes a handled sequence with another id for another message', () => {
    const handled = new Set([rowKey(row(41, 'before-reset'))]);
    expect(ackFloor({ windowHigh: 47, visible: [row(41, 'after-reset')], open: [], handled })).toBe(40);
  });
});

describe('contiguousHigh', () => {
  it('joins windows that touch or overlap, in any order', () => {
    const windows = [
      { from: 8, high: 12 },
      { from: 0, high: 4 },
      { from: 3, high: 8 },
    ];
    expect(contiguousHigh(0, windows)).toBe(12);
  });
  it('stops at a gap: nobody looked at those rows', () =>
    expect(
      contiguousHigh(0, [
        { from: 0, high: 4 },
        { from: 5, high: 9 },
      ]),
    ).toBe(4));
  it('is the cursor when nothing was examined', () => expect(contiguousHigh(7, [])).toBe(7));
  it('ignores what lies below the cursor', () => expect(contiguousHigh(7, [{ from: 0, high: 5 }])).toBe(7));
});
