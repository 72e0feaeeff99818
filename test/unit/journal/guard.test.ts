import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { claimTurn, type GuardKey } from '../../../src/journal/guard.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-guard-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});
const key = (more: Partial<GuardKey> = {}): GuardKey => ({
  origin: 'o',
  identity: 'i',
  session: 's',
  turn: 't',
  prompt: 'p',
  ...more,
});
const claim = (more: Partial<GuardKey> = {}, now = Date.now()) => claimTurn(dir, key(more), now);

it('gives a turn of an inbox to one run', () => {
  expect([claim(), claim(), claim()]).toEqual([true, false, false]);
});

it('tells apart inboxes, sessions, turns, and prompts absorbed under the running turn’s id', () => {
  expect([
    claim(),
    claim({ origin: 'x' }),
    claim({ identity: 'x' }),
    claim({ session: 'x' }),
    claim({ turn: 'x' }),
    claim({ prompt: 'x' }),
  ]).toEqual(Array(6).fill(true));
});

it('without a turn id, the same words again a moment later are a second copy, and later a new prompt', () => {
  expect(claim({ turn: undefined })).toBe(true);
  expect(claim({ turn: undefined })).toBe(false);
  expect(claim({ turn: undefined }, Date.now() + 5000)).toBe(true);
});

it('does not guard what has no session', () => {
  expect([claim({ session: '' }), claim({ session: '' })]).toEqual([true, true]);
});

it('sweeps what is old, or from a future that a clock made up, once many have gathered', () => {
  for (let i = 0; i < 250; i++) claim({ turn: `t${i}` });
  const guards = join(dir, 'guards');
  const names = readdirSync(guards);
  const hour = 3_600_000;
  const date = (name: string, at: number) => utimesSync(join(guards, name), new Date(at), new Date(at));
  for (const name of names.slice(0, 100)) date(name, Date.now() - 2 * hour);
  for (const name of names.slice(100, 150)) date(name, Date.now() + 9 * hour);
  claim({ turn: 'one more' });
  expect(readdirSync(guards)).toHaveLength(101);
});

it('a guard without a turn id that lies in the future is a clock that jumped, not a second copy', () => {
  const later = Date.now() + 3_600_000;
  expect(claim({ turn: undefined }, later)).toBe(true);
  expect(claim({ turn: undefined }, later - 7_200_000)).toBe(true);
});

it('says what the file system says where it cannot write', () => {
  writeFileSync(join(dir, 'guards'), 'a file');
  expect(() => claim()).toThrow(expect.objectContaining({ syscall: expect.any(String) }));
});
