import { linkSync, mkdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { READ_LIMIT, readSmallFile } from '../lib/files.ts';

/**
 * A lease on one inbox of one machine. It ends by itself, so a killed run blocks nobody for long.
 * It only saves work: two runs that hold it at once (after a stolen lease) each write a journal that is true by
 * itself, which costs repeats and never mail.
 */
export interface Lease {
  release(): void;
}

export interface LeaseOptions {
  /** Random per run: whose lease it is. */
  readonly owner: string;
  /** How long the lease lasts, ms: the turn's budget plus 2 s. */
  readonly leaseMs: number;
  /** How long to wait for another run, ms. */
  readonly waitMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const POLL_MS = 10;
/** Between making the name and writing the content lie microseconds, ms. */
const UNWRITTEN_MS = 1000;

/**
 * @returns the lease, or undefined when another run kept it for all of `waitMs`: the inbox is then unavailable, not empty
 * @throws the file system's own error when the directory cannot be written
 */
export async function acquireLease(path: string, options: LeaseOptions): Promise<Lease | undefined> {
  for (let waited = 0; ; waited += POLL_MS) {
    if (claim(path, options)) return { release: () => release(path, options.owner) };
    if (waited >= options.waitMs) return undefined;
    await options.sleep(POLL_MS);
  }
}

function claim(path: string, options: LeaseOptions): boolean {
  const line = `${options.owner} ${Math.round(options.now() + options.leaseMs)} ${process.pid}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, line, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // The name is ours and the disk is full: an empty lease would keep the next run away.
      if (syscall === 'write') unlinkQuietly(path);
      if (code === 'ENOENT') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      else if (code !== 'EEXIST') throw error;
      else if (!removeStale(path, options)) return false;
    }
  }
  return false;
}

/** Takes a stale lease out of the way; true when the name may be free now. */
function removeStale(path: string, { now, leaseMs, owner }: LeaseOptions): boolean {
  const held = readText(path);
  if (held === undefined) return true;
  const [, end, pid] = held.trim().split(' ');
  const until = Number(end ?? Number.NaN);
  // An end too far ahead means that the clock jumped back. Without an end the content is not ours, or its owner has
  // made the name and not written yet: taking that for stale lost 2 of 80 edits of 8 concurrent processes.
  const lasts = Number.isNaN(until) ? isYoung(path, now()) : now() < until && until <= now() + leaseMs * 10;
  if (lasts && lives(Number(pid))) return false;
  const aside = `${path}.${owner}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  // Another run may have replaced the stale lease between our read and our rename: give it back.
  if (readText(aside) !== held) {
    try {
      linkSync(aside, path);
    } catch {}
    unlinkQuietly(aside);
    return false;
  }
  unlinkQuietly(aside);
  return true;
}

/** Whether the run that holds a lease still is: a killed one (Esc, a client's timeout) must not cost the next turn. */
function lives(pid: number): boolean {
  if (!Number.isInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Made just now; a time in the future is a clock that jumped: stale. */
function isYoung(path: string, now: number): boolean {
  try {
    return Math.abs(now - statSync(path).mtimeMs) < UNWRITTEN_MS;
  } catch {
    return false;
  }
}

function release(path: string, owner: string): void {
  if (readText(path)?.startsWith(`${owner} `)) unlinkQuietly(path);
}

function readText(path: string): string | undefined {
  try {
    return readSmallFile(path, READ_LIMIT.project).toString('utf8');
  } catch {
    return undefined;
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
