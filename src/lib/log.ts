import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The log of turns, one JSON line each, without bodies; two files of this size at most, UTF-8 bytes. */
const MAX_BYTES = 1024 * 1024;
export const LOG_FILE = 'turns.jsonl';

/** Appends one line. Never throws: a full disk must not cost a turn. */
export function appendLog(stateDir: string, entry: object): void {
  const path = join(stateDir, LOG_FILE);
  try {
    try {
      const stat = statSync(path);
      // Writing to a pipe that nobody reads would hang the turn.
      if (!stat.isFile()) return;
      if (stat.size > MAX_BYTES) renameSync(path, `${path}.1`);
    } catch {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    }
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {}
}
