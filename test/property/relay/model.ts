/** One row as the model keeps it. */
export interface ModelRow {
  readonly seq: number;
  readonly id: string;
  readonly scope: string;
  readonly score: number;
  readonly bytes: number;
  readonly expiresAt?: number | undefined;
}

/**
 * `pull_inbox` in the words of its specification, over a plain array and nothing else: no SQL, no running sums,
 * no code of the relay. `E(c,n)` is `examine`.
 */
export class Model {
  cursor = 0;
  epoch = '';
  readScopes: readonly string[] | null = ['team'];
  readonly #rows: ModelRow[] = [];
  readonly #limits: { readonly maxBatch: number; readonly windowBytes: number; readonly now: () => number };
  #highestReturned = 0;

  constructor(limits: { readonly maxBatch: number; readonly windowBytes: number; readonly now: () => number }) {
    this.#limits = limits;
  }

  append(row: ModelRow): void {
    if (row.seq !== (this.#rows.at(-1)?.seq ?? 0) + 1) throw new Error(`sequence ${row.seq} is not dense`);
    if (row.seq <= this.#highestReturned) throw new Error(`row ${row.seq} came below a returned window_high`);
    this.#rows.push(row);
  }

  rowAt(seq: number): ModelRow | undefined {
    return this.#rows.find(row => row.seq === seq);
  }

  pull(
    args: { since?: number | undefined; ack?: number | undefined; limit?: number | undefined },
    guard: { epoch?: string; row?: { seq: number; id: string } },
  ) {
    const n = Math.min(args.limit ?? this.#limits.maxBatch, this.#limits.maxBatch);
    const ack = args.ack === undefined ? undefined : this.#acknowledge(args.ack, n, guard);
    const window = this.#examine(args.since ?? this.cursor, n);
    const last = window.at(-1);
    const windowHigh = last?.seq ?? this.cursor;
    this.#highestReturned = Math.max(this.#highestReturned, windowHigh);
    const seqs = window
      .filter(row => this.#visible(row))
      .sort((a, b) => (a.score === b.score ? a.seq - b.seq : b.score - a.score))
      .map(row => row.seq);
    return {
      seqs,
      cursor: this.cursor,
      windowHigh,
      hasMore: last !== undefined && this.#rows.some(row => row.seq > windowHigh),
      epoch: this.epoch,
      ...(last && { windowRow: { seq: last.seq, id: last.id } }),
      ...(ack && { ack }),
    };
  }

  checkInvariants(): void {
    const head = this.#rows.at(-1)?.seq ?? 0;
    if (this.cursor > head) throw new Error(`cursor ${this.cursor} above head ${head}`);
  }

  #acknowledge(ack: number, n: number, guard: { epoch?: string; row?: { seq: number; id: string } }) {
    if (guard.epoch !== undefined && guard.epoch !== this.epoch) return 'ignored-epoch';
    const { row } = guard;
    if (row !== undefined && this.rowAt(row.seq)?.id !== row.id) return 'ignored-row';
    const ceiling = this.#examine(this.cursor, n).at(-1)?.seq ?? this.cursor;
    let target = Math.min(ack, ceiling);
    if (row !== undefined) {
      const unseen = this.#rows.find(
        r => r.seq > row.seq && r.seq > this.cursor && r.seq <= target && this.#visible(r),
      );
      if (unseen !== undefined) target = unseen.seq - 1;
    }
    this.cursor = Math.max(this.cursor, target);
    return 'applied';
  }

  #examine(floor: number, n: number): ModelRow[] {
    const window: ModelRow[] = [];
    let bytes = 0;
    for (const row of this.#rows) {
      if (row.seq <= floor) continue;
      bytes += row.bytes;
      if (window.length === n || (window.length > 0 && bytes > this.#limits.windowBytes)) break;
      window.push(row);
    }
    return window;
  }

  #visible(row: ModelRow): boolean {
    if (row.expiresAt !== undefined && row.expiresAt <= this.#limits.now()) return false;
    if (this.readScopes === null || row.scope === 'direct') return true;
    return this.readScopes.some(scope => `${row.scope}/`.startsWith(`${scope}/`));
  }
}
