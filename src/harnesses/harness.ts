/** What the hook learned from a harness's stdin. */
export interface Turn {
  /** The harness's own event name, echoed in the output. */
  readonly event: string;
  /** `prompt`: drain, show, prove. `prove`: only prove and acknowledge (Stop, SessionEnd). `ignore`: do nothing. */
  readonly action: 'prompt' | 'prove' | 'ignore';
  readonly session: string;
  /** `prompt_id` or `turn_id`: with the session it names one turn for the guard. */
  readonly turn?: string;
  /** Transcript or rollout file of the session, where the harness names one. */
  readonly transcript?: string;
  readonly cwd?: string;
  /** The user's prompt; only hashed, and only when the harness gives no turn id. */
  readonly prompt?: string;
}

/** What one transcript record says about a block we are waiting for. */
export type Evidence =
  /** Text that reached the model's context in the right kind of entry. */
  | { readonly kind: 'context'; readonly texts: readonly string[] }
  /** A record that only a successful model request leaves behind. */
  | { readonly kind: 'answer' }
  /** A record that belongs to this turn: the client has begun it. */
  | { readonly kind: 'turn'; readonly turn: string }
  /** The turn was interrupted or is complete. */
  | { readonly kind: 'ended'; readonly turn: string };

/** A record's place in the transcript's tree, where it has one, and its evidence, if any. */
export interface TranscriptFact {
  readonly id?: string;
  readonly parent?: string;
  readonly evidence?: Evidence;
}

/** A harness: an adapter to one agent client. One literal a file; an optional method is a capability. */
export interface Harness {
  readonly name: string;
  /** Upper bounds the client itself sets on injected text (0 = none known). */
  readonly caps: { readonly bytes: number; readonly utf16: number };
  /** How this client lets us prove that a block reached the model. */
  readonly proof: 'transcript' | 'none';
  /** Whether this stdin is the client's. `undefined` stdin means none came. */
  recognise(stdin: Readonly<Record<string, unknown>> | undefined): boolean;
  parse(stdin: Readonly<Record<string, unknown>> | undefined): Turn;
  /** The one envelope to print; empty string when there is nothing to say. */
  format(turn: Turn, out: { readonly block: string | null; readonly notice: string | null }): string;
  /** Facts in one parsed transcript record; present when `proof` is `transcript`. */
  facts?(record: Readonly<Record<string, unknown>>): TranscriptFact;
}
