import { type RowId, rowKey } from '../delivery.ts';

/** One examined window: rows with `from < seq ≤ high`, hidden ones included. */
export interface Window {
  readonly from: number;
  readonly high: number;
}

export interface FloorView {
  /** Top of the contiguous examined windows (contiguousHigh), or the server's cursor when nothing was examined. */
  readonly windowHigh: number;
  /** Visible rows that the last drain saw at or below `windowHigh`. */
  readonly visible: readonly RowId[];
  /** Rows of blocks that were printed and are neither proven nor refuted. */
  readonly open: readonly RowId[];
  /** Keys (delivery.rowKey) of rows that are proven shown, or settled by policy. */
  readonly handled: ReadonlySet<string>;
}

/**
 * The largest sequence that may be acknowledged: below the lowest row that is not handled, or `windowHigh` if there is
 * none (design: the ack floor). Hidden rows are handled by having been examined. Never above `windowHigh`, never
 * negative. Rows go by (sequence, id): a reset server may give a handled sequence to another message.
 */
export function ackFloor(view: FloorView): number {
  let floor = view.windowHigh;
  for (const rows of [view.visible, view.open]) {
    for (const row of rows) if (row.seq <= floor && !view.handled.has(rowKey(row))) floor = row.seq - 1;
  }
  return Math.max(0, floor);
}

/**
 * Top of the windows that hang together, beginning at `cursor`: a gap means rows nobody looked at, so what lies above
 * it does not count. Windows may overlap; their order does not matter.
 */
export function contiguousHigh(cursor: number, windows: readonly Window[]): number {
  let high = cursor;
  for (const w of [...windows].sort((a, b) => a.from - b.from)) {
    if (w.from > high) break;
    high = Math.max(high, w.high);
  }
  return high;
}
