import type { Delivery, Tier } from '../delivery.ts';

/** Upper bounds of the printed block, frame included. All three hold at once. */
export interface Caps {
  /** Estimated model tokens (core/tokens); an estimate that is fitted not to under-count. */
  readonly tokens: number;
  /** UTF-8 bytes. */
  readonly bytes: number;
  /** UTF-16 code units, the unit Claude Code counts in. */
  readonly utf16: number;
}

/** An item that may be shown: pulled, and neither proven, leased to another session, nor settled by policy. */
export interface Candidate {
  readonly delivery: Delivery;
  /** How often a block holding it was printed without proof. 2 or more: at most a digest; 4 or more: a bare line. */
  readonly unproven: number;
}

/** What one source brought to this turn. */
export interface SourceView {
  /** Name of the source in the configuration. */
  readonly name: string;
  /** 1-based place in the configuration: re-read commands are built from integers only. */
  readonly index: number;
  readonly origin: string;
  readonly items: readonly Candidate[];
  /** More rows wait on the server beyond the examined windows. */
  readonly hasMore: boolean;
  /** Items the trust policy withholds or blocks by unknown sender: a count only. */
  readonly withheld: number;
}

export interface ComposeInput {
  readonly sources: readonly SourceView[];
  readonly caps: Caps;
  /** Who receives: handle of this identity, for the header. */
  readonly recipient: string;
  /** Random per run, at least 96 bits, `[a-z0-9]+`: names the frame and is the receipt. */
  readonly nonce: string;
  /** Epoch ms, for ages and expiry. */
  readonly now: number;
}

export interface Shown {
  readonly source: string;
  readonly seq: number;
  readonly id: string;
  readonly tier: Tier;
}

export interface Composed {
  /** The text to inject: no leading or trailing white space; `null` when there is nothing to show. */
  readonly block: string | null;
  /** Every item in the block with its tier, in the order of presentation (score first). */
  readonly shown: readonly Shown[];
  /** Candidates that found no room; they stay unacknowledged and wait for the next turn. */
  readonly left: number;
  /** Estimated tokens of `block`. */
  readonly tokens: number;
  /** UTF-8 bytes of `block`. */
  readonly bytes: number;
}
