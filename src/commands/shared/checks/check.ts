import type { ErrorCode } from '../../../errors.ts';
import { codeOf, PreturnError } from '../../../errors.ts';

/** One thing that doctor looked at. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly text: string;
  /** What to do about it. */
  readonly next?: string | undefined;
  /** Decides the exit code of a failure. */
  readonly code?: ErrorCode;
}

export const ok = (name: string, text: string): Check => ({ name, state: 'ok', text });
export const warn = (name: string, text: string, next?: string): Check => ({ name, state: 'warn', text, next });
export const fail = (name: string, text: string, next?: string): Check => ({ name, state: 'fail', text, next });

/** A failure of ours as a check; anything else is a fault of the program and is thrown. */
export function failed(name: string, error: unknown): Check {
  if (!(error instanceof PreturnError)) throw error;
  return { name, state: 'fail', text: error.message, next: error.hint, code: codeOf(error) };
}
