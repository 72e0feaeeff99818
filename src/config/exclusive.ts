import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLease } from '../journal/lock.ts';
import { cliFailures } from '../messages-cli.ts';

/** An edit takes a few ms; a killed one blocks the next for at most this long. */
const LEASE_MS = 10_000;
const WAIT_MS = 5_000;

/**
 * Runs `work` while no other preturn process edits files of this user: without it 8 concurrent writers kept
 * 204 of 400 keys, because conf reads, changes and writes back.
 *
 * @param dir the configuration directory; the lock is `edit.lock` in it
 * @throws `busy` when another process holds it for 5 s
 */
export async function exclusively<T>(dir: string, work: () => T | Promise<T>): Promise<T> {
  const path = join(dir, 'edit.lock');
  const lease = await acquireLease(path, {
    owner: randomBytes(12).toString('hex'),
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    now: Date.now,
    sleep: ms => sleep(ms),
  });
  if (lease === undefined) throw cliFailures.configBusy(path);
  try {
    return await work();
  } finally {
    lease.release();
  }
}
