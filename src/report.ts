import type { Tier } from './delivery.ts';

/** What a run did, for the log and for `doctor`: no bodies, no tokens. */
export interface Report {
  readonly outcome: 'ran' | 'off' | 'ignored' | 'unknown-client' | 'no-inbox' | 'misconfigured';
  readonly detail?: string;
  readonly harness?: string;
  readonly event?: string;
  readonly session?: string;
  readonly inboxes?: readonly InboxReport[];
  /** Of the printed block: estimated tokens, UTF-8 bytes, candidates without room. */
  readonly tokens?: number;
  readonly bytes?: number;
  readonly left?: number;
  readonly notice?: string;
}

export interface InboxReport {
  readonly name: string;
  readonly origin: string;
  /** `unchanged` and `skipped` made no call. */
  readonly state: 'drained' | 'proved' | 'unchanged' | 'skipped' | 'failed';
  readonly error?: string;
  readonly pulled: number;
  readonly proven: number;
  /** Acknowledged watermark before and after. */
  readonly cursor: { readonly before: number; readonly after: number };
  readonly shown: ReadonlyArray<{ readonly seq: number; readonly tier: Tier }>;
}
