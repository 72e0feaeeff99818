/**
 * The closed set of error codes, and what each one becomes at every edge:
 * the exit code of a command, the HTTP status and AIP-193 status name of REST (the gRPC code has the same name).
 * Wording lives in messages.ts.
 */
const TABLE = {
  bad_input: { exit: 2, http: 400, status: 'INVALID_ARGUMENT' },
  unauthenticated: { exit: 5, http: 401, status: 'UNAUTHENTICATED' },
  forbidden: { exit: 5, http: 403, status: 'PERMISSION_DENIED' },
  not_found: { exit: 1, http: 404, status: 'NOT_FOUND' },
  recipient_not_found: { exit: 1, http: 404, status: 'NOT_FOUND' },
  conflict: { exit: 1, http: 409, status: 'ALREADY_EXISTS' },
  recipient_inbox_full: { exit: 1, http: 429, status: 'RESOURCE_EXHAUSTED' },
  pair_limit_exceeded: { exit: 1, http: 429, status: 'RESOURCE_EXHAUSTED' },
  rate_limited: { exit: 1, http: 429, status: 'RESOURCE_EXHAUSTED' },
  too_large: { exit: 1, http: 413, status: 'OUT_OF_RANGE' },
  unreachable: { exit: 4, http: 503, status: 'UNAVAILABLE' },
  timeout: { exit: 4, http: 504, status: 'DEADLINE_EXCEEDED' },
  bad_reply: { exit: 4, http: 502, status: 'UNAVAILABLE' },
  config_invalid: { exit: 2, http: 500, status: 'FAILED_PRECONDITION' },
  credentials_unsafe: { exit: 5, http: 500, status: 'FAILED_PRECONDITION' },
  settings_unparsable: { exit: 1, http: 500, status: 'FAILED_PRECONDITION' },
  store_unavailable: { exit: 1, http: 503, status: 'UNAVAILABLE' },
  busy: { exit: 1, http: 503, status: 'UNAVAILABLE' },
  internal: { exit: 1, http: 500, status: 'INTERNAL' },
} as const;

export type ErrorCode = keyof typeof TABLE;

export const ERROR_CODES = Object.keys(TABLE) as ErrorCode[];

export interface ErrorEdges {
  /** Process exit code: 1 failure, 2 usage, 4 unreachable, 5 refused credentials (3 is the gate of `check`). */
  readonly exit: number;
  readonly http: number;
  /** AIP-193 status name, equal to the gRPC code's name. */
  readonly status: string;
}

export function edges(code: ErrorCode): ErrorEdges {
  return TABLE[code];
}

/** Every failure that a person or a peer may see. `message` says what happened and why; `hint` what to do next. */
export class PreturnError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PreturnError';
    this.code = code;
    this.hint = options.hint;
  }

  /** By brand, not by class: each of the hook's bundles carries its own copy, and errors cross from one to another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      value instanceof Error &&
      value.name === 'PreturnError' &&
      'code' in value &&
      Object.hasOwn(TABLE, value.code as string)
    );
  }
}

/** The code of any thrown value; what we did not throw ourselves is `internal`. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof PreturnError ? error.code : 'internal';
}
