import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RESERVE_MS, startDeadline } from '../../../src/lib/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('keeps a reserve for printing, counts from the start of the process, and aborts when only the reserve is left', () => {
  let elapsed = 100;
  const deadline = startDeadline(1500, () => elapsed);
  expect([deadline.left(), deadline.total()]).toEqual([1500 - RESERVE_MS - 100, 1400]);
  vi.advanceTimersByTime(1500 - RESERVE_MS - 101);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.aborted).toBe(true);
  elapsed = 9999;
  expect([deadline.left(), deadline.total()]).toEqual([0, 0]);
});

it('a small budget keeps a quarter, not all of it', () => {
  expect(startDeadline(200, () => 0).left()).toBe(150);
});

it('is over at once when the start took all of it', () => {
  const { signal } = startDeadline(1500, () => 2000);
  vi.advanceTimersByTime(0);
  expect(signal.aborted).toBe(true);
});

it('leaves no timer behind', () => {
  startDeadline(1500, () => 0).clear();
  expect(vi.getTimerCount()).toBe(0);
});
