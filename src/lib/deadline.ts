/**
 * One monotonic budget for a whole turn, counted from process start.
 * Work gets `signal`; what did not finish by then is simply unread (an in-flight pull) or repeated (an in-flight ack,
 * which is idempotent). The reserve is kept for render, fsync and print.
 */
export interface Deadline {
  /** Aborts when only the reserve is left. */
  readonly signal: AbortSignal;
  /** Milliseconds of working time left before the reserve; never negative. */
  left(): number;
  /** Milliseconds left of the whole budget; never negative. */
  total(): number;
  /** Stops the timer, so that a finished turn does not keep the process alive. */
  clear(): void;
}

/** Reserve for compose, fsync and print, ms: measured well under 20 ms; slow disks get room. */
export const RESERVE_MS = 150;

/**
 * @param budgetMs whole budget, ms from process start
 * @param elapsed  monotonic ms since process start
 */
export function startDeadline(budgetMs: number, elapsed: () => number): Deadline {
  const reserve = Math.min(RESERVE_MS, budgetMs / 4);
  const controller = new AbortController();
  const left = () => Math.max(0, budgetMs - reserve - elapsed());
  const timer = setTimeout(() => controller.abort(), left());
  return {
    signal: controller.signal,
    left,
    total: () => Math.max(0, budgetMs - elapsed()),
    clear: () => clearTimeout(timer),
  };
}
