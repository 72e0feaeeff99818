import { mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '../lib/digest.ts';

/** Guards older than this are swept, ms. */
const KEEP_MS = 60 * 60 * 1000;
/** Sweep only when this many have gathered, so that a turn rarely pays for it. */
const SWEEP_AT = 200;
/** Without a turn id, the same prompt again within this time is a second registration, ms (they fire about 30 ms apart). */
const SAME_PROMPT_MS = 2000;

export interface GuardKey {
  readonly origin: string;
  readonly identity: string;
  readonly session: string;
  /** `prompt_id` or `turn_id`. */
  readonly turn: string | undefined;
  /** Claude Code fires a prompt that it absorbs mid-turn under the running prompt's id: the text tells them apart. */
  readonly prompt: string;
}

/**
 * Claims one turn of one inbox for this run; false when another copy of the hook has it already (registered both in the
 * settings and by a plugin). One directory a user serves all copies.
 *
 * @throws the file system's own error when the state directory cannot be written
 */
export function claimTurn(stateDir: string, key: GuardKey, now: number): boolean {
  if (key.session === '') return true;
  const dir = join(stateDir, 'guards');
  const name = digest(JSON.stringify(key));
  const path = join(dir, name);
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
      sweep(dir, now);
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' && attempt === 0) mkdirSync(dir, { recursive: true, mode: 0o700 });
      else if (code === 'EEXIST') return key.turn === undefined && reclaim(path, now);
      else throw error;
    }
  }
}

/** A guard without a turn id holds for a moment only: people do send the same words twice. */
function reclaim(path: string, now: number): boolean {
  const age = ageOf(path, now);
  if (age !== undefined && Math.abs(age) <= SAME_PROMPT_MS) return false;
  try {
    unlinkSync(path);
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function sweep(dir: string, now: number): void {
  const names = readdirSync(dir);
  if (names.length < SWEEP_AT) return;
  for (const name of names) {
    const path = join(dir, name);
    const age = ageOf(path, now);
    // A time in the future is a clock that jumped: such a guard would never age.
    if (age === undefined || Math.abs(age) > KEEP_MS) {
      try {
        unlinkSync(path);
      } catch {}
    }
  }
}

function ageOf(path: string, now: number): number | undefined {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}
