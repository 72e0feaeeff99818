import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { acquireLease } from '../../../src/journal/lock.ts';

let dir: string;
let path: string;
let now = 1_000_000_000_000;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-lock-'));
  path = join(dir, 'deep', 'lock');
  now = 1_000_000_000_000;
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

/** Waiting moves the clock and nothing else. */
const acquire = (owner: string, waitMs = 0) =>
  acquireLease(path, {
    owner,
    leaseMs: 3500,
    waitMs,
    now: () => now,
    sleep: async ms => {
      now += ms;
    },
  });

/** A process id that no process has: it was one, and has ended. */
const DEAD = 2 ** 22 - 3;

it('is one run’s at a time, and free again when released', async () => {
  const first = await acquire('a');
  expect(await acquire('b')).toBeUndefined();
  first!.release();
  expect(await acquire('b')).toBeDefined();
});

it('gives up after its patience, not before', async () => {
  await acquire('a');
  const began = now;
  expect(await acquire('b', 300)).toBeUndefined();
  expect(now - began).toBe(300);
});

it('takes over a lease that has ended, whose owner is dead, or whose end lies absurdly far ahead', async () => {
  const lease = await acquire('a');
  for (const text of [
    `x ${now - 1} ${process.pid}\n`,
    `x ${now + 3000} ${DEAD}\n`,
    `x ${now + 10_000_000} ${process.pid}\n`,
  ]) {
    writeFileSync(path, text);
    const taken = await acquire('b');
    expect(taken, text).toBeDefined();
    taken!.release();
  }
  lease!.release();
  expect(readdirSync(join(dir, 'deep'))).toEqual([]);
});

it('respects a lease that has no end written yet, for a moment', async () => {
  const lease = await acquire('a');
  writeFileSync(path, '');
  now = Date.now();
  expect(await acquire('b')).toBeUndefined();
  utimesSync(path, new Date(now - 60_000), new Date(now - 60_000));
  expect(await acquire('b')).toBeDefined();
  lease!.release();
});

it('releases only its own', async () => {
  const first = await acquire('a');
  writeFileSync(path, `b ${now + 1000} ${process.pid}\n`);
  first!.release();
  expect(readFileSync(path, 'utf8')).toMatch(/^b /);
});

it('says what the file system says where it cannot write', async () => {
  writeFileSync(join(dir, 'deep'), 'a file');
  await expect(acquire('a')).rejects.toMatchObject({ syscall: expect.any(String) });
});
