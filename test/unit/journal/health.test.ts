import { expect, it } from 'vitest';
import { afterFailure, afterSuccess, breakerOpen } from '../../../src/journal/health.ts';
import type { Health } from '../../../src/journal/state.ts';

const OK: Health = { state: 'ok', failures: 0, openUntil: 0 };
const NOW = 1_000_000;

it('the first failure costs nothing, the next ones ever longer pauses, five minutes at most', () => {
  const pauses: number[] = [];
  let health = OK;
  for (let i = 0; i < 9; i++) {
    health = afterFailure(health, 'timeout', 'o', NOW).health;
    pauses.push(Math.max(0, health.openUntil - NOW) / 1000);
  }
  expect(pauses).toEqual([0, 15, 30, 60, 120, 240, 300, 300, 300]);
});

it('is closed again when its time is over, and when its time is one that no pause gives', () => {
  expect(breakerOpen({ ...OK, openUntil: NOW + 1 }, NOW)).toBe(true);
  expect(breakerOpen({ ...OK, openUntil: NOW }, NOW)).toBe(false);
  expect(breakerOpen({ ...OK, openUntil: NOW + 86_400_000 }, NOW)).toBe(false);
});

it('tells a change once, and the way back once', () => {
  const lost = afterFailure(OK, 'unreachable', 'o', NOW);
  expect(lost.notice).toContain('no answer');
  expect(afterFailure(lost.health, 'timeout', 'o', NOW).notice).toBeNull();
  expect(afterFailure(lost.health, 'bad_reply', 'o', NOW).notice).toContain('not like a relay');
  expect(afterFailure(lost.health, 'unauthenticated', 'o', NOW).notice).toContain('refused');
  const back = afterSuccess(lost.health, 'o');
  expect([back.health, back.notice]).toEqual([OK, expect.stringContaining('answers again')]);
  expect(afterSuccess(back.health, 'o').notice).toBeNull();
});
