import type { ErrorCode } from '../errors.ts';
import { notices } from '../messages.ts';
import type { Health } from './state.ts';

/** The first failure is free, then 15 s, doubling to 5 min: one hung relay must not cost every turn its budget. */
const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** Whether the breaker skips this source now; a stored time further ahead than any pause is a clock that jumped: closed. */
export function breakerOpen(health: Health, now: number): boolean {
  return now < health.openUntil && health.openUntil <= now + MAX_PAUSE_MS;
}

/** What a failure means for the human; each has one notice. */
function stateOf(code: ErrorCode): Exclude<Health['state'], 'ok'> {
  if (code === 'unauthenticated' || code === 'forbidden') return 'refused';
  if (code === 'bad_reply' || code === 'too_large') return 'garbage';
  return 'lost';
}

export interface HealthChange {
  readonly health: Health;
  /** One line for the human, only when the state changed. */
  readonly notice: string | null;
}

export function afterFailure(health: Health, code: ErrorCode, origin: string, now: number): HealthChange {
  const state = stateOf(code);
  const failures = health.failures + 1;
  const pause = failures < 2 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, failures - 2));
  return {
    health: { state, failures, openUntil: pause === 0 ? 0 : now + pause },
    notice: state === health.state ? null : notices[state](origin),
  };
}

export function afterSuccess(health: Health, origin: string): HealthChange {
  if (health.state === 'ok' && health.failures === 0) return { health, notice: null };
  return {
    health: { state: 'ok', failures: 0, openUntil: 0 },
    notice: health.state === 'ok' ? null : notices.back(origin),
  };
}
