import type { Delivery, RowId } from '../delivery.ts';

/** What a run asks of one page. */
export interface PullRequest {
  /** Rows to examine; the same for a whole drain, absent on ack-only calls (a smaller window acknowledges less). */
  readonly limit?: number;
  /** Page floor: rows with `seq > since`; absence means the server's stored cursor (S000-06, -07). */
  readonly since?: number;
  /** Acknowledge up to `seq`, only if the server still is the incarnation we examined. */
  readonly ack?: AckRequest;
}

export interface AckRequest {
  readonly seq: number;
  /** Epoch the view came from; a server that knows epochs ignores the ack when it differs. */
  readonly epoch?: string;
  /** The highest row at or below `seq` whose id we know; the server ignores the ack when that row is another. */
  readonly row?: RowId;
}

/** One validated page of one inbox. */
export interface Page {
  /** Visible items of the window, in the server's order. */
  readonly deliveries: readonly Delivery[];
  /** Where the window began: the request's `since`, else the cursor. */
  readonly floor: number;
  /** The acknowledged watermark after this call. */
  readonly cursor: number;
  /** Top of the examined window, hidden rows included: the next ackable position. */
  readonly windowHigh: number;
  /** Id of the row at `windowHigh`, where the server states it (our relay does, also for hidden rows). */
  readonly windowRow?: RowId;
  readonly hasMore: boolean;
  /** Identity of the store's incarnation; `undefined` from servers without epochs. */
  readonly epoch?: string;
  /** What became of the ack of this call; `undefined` when none was sent or the server does not say. */
  readonly ack?: 'applied' | 'ignored-epoch' | 'ignored-row';
  /** UTF-8 bytes of the response body. */
  readonly bytes: number;
}

/**
 * A source: an adapter to one inbox system. An adapter is one factory returning one literal;
 * an optional method is a capability.
 */
export interface Source {
  readonly name: string;
  readonly origin: string;
  /**
   * One page. Throws `PreturnError`: `unreachable`, `timeout`, `unauthenticated`, `forbidden`, `bad_reply`, `too_large`.
   * An in-flight call that is aborted is merely unread.
   */
  pull(request: PullRequest, signal: AbortSignal): Promise<Page>;
  /** A stamp of the backing store for the "nothing changed since empty" shortcut; file sources only. */
  stamp?(): string | undefined;
  close?(): void;
}
