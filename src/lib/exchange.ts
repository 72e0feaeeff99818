/** One HTTP request of the hook, whichever client makes it. */
export interface HttpCall {
  readonly url: string;
  readonly token: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** PEM file with a private certificate authority. */
  readonly caFile: string | undefined;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HttpReply {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: string;
  /** UTF-8 bytes of the body. */
  readonly bytes: number;
}

/** Largest response we take, UTF-8 bytes. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
