import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

/** Runs once, right after a lease was read: where another run may come in between. */
const between = vi.hoisted(() => ({ act: undefined as (() => void) | undefined }));
vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>();
  const closeSync = (file: number) => {
    fs.closeSync(file);
    const { act } = between;
    between.act = undefined;
    act?.();
  };
  return { ...fs, closeSync, default: { ...fs, closeSync } };
});
const { acquireLease } = await import('../../../src/journal/lock.ts');

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-lock-'));
  path = join(dir, 'lock');
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});
const NOW = 1_000_000_000_000;
const acquire = (owner: string, waitMs = 0) =>
  acquireLease(path, { owner, leaseMs: 3500, waitMs, now: () => NOW, sleep: () => Promise.resolve() });
const stale = `dead ${NOW - 1} ${process.pid}\n`;
const fresh = `other ${NOW + 3000} ${process.pid}\n`;

it('of many claimants of a stale lease one gets it', async () => {
  writeFileSync(path, stale);
  const leases = await Promise.all(Array.from({ length: 20 }, (_, i) => acquire(`run${i}`)));
  expect(leases.filter(lease => lease !== undefined)).toHaveLength(1);
  expect(readdirSync(dir)).toEqual(['lock']);
});

it('gives back a lease that another run took while it was being judged stale', async () => {
  writeFileSync(path, stale);
  between.act = () => {
    writeFileSync(`${path}.next`, fresh);
    renameSync(`${path}.next`, path);
  };
  expect(await acquire('late')).toBeUndefined();
  expect(readdirSync(dir)).toEqual(['lock']);
  expect(await acquire('later')).toBeUndefined();
});

it('takes the name when the lease was released while it was being judged', async () => {
  writeFileSync(path, stale);
  between.act = () => rmSync(path);
  expect(await acquire('next')).toBeDefined();
});

it('gets the lease when its holder lets go within its patience', async () => {
  const first = await acquire('a');
  let polls = 0;
  const second = acquireLease(path, {
    owner: 'b',
    leaseMs: 3500,
    waitMs: 300,
    now: () => NOW,
    sleep: async () => {
      if (++polls === 3) first!.release();
    },
  });
  expect(await second).toBeDefined();
  expect(polls).toBe(3);
});
