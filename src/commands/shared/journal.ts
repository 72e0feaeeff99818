import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inboxDir, type Journal, openJournal } from '../../journal/journal.ts';
import { acquireLease } from '../../journal/lock.ts';
import { cliFailures } from '../../messages-cli.ts';
import type { Inbox } from '../../sources/index.ts';
import type { Context } from './context.ts';

/** Below ten times the shortest lease of a hook, which takes more for a clock that jumped, ms. */
const LEASE_MS = 15_000;
const WAIT_MS = 5_000;

/**
 * Works on an inbox's journal while no hook does.
 * @throws `busy` when a hook keeps it for 5 s
 */
export async function withJournal<T>(
  context: Context,
  inbox: Inbox,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  const dir = inboxDir(context.stateDir, inbox);
  const owner = randomBytes(12).toString('hex');
  const lease = await acquireLease(join(dir, 'lock'), {
    owner,
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    now: Date.now,
    sleep: ms => sleep(ms),
  });
  if (!lease) throw cliFailures.inboxBusy(inbox.origin);
  try {
    return await work(openJournal(dir, inbox, owner));
  } finally {
    lease.release();
  }
}
