import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Remembers that the human was told of a state that belongs to no inbox (a broken configuration).
 *
 * @returns whether to tell now: true once per state; false when it cannot be remembered, because never is better than
 *   every turn
 */
export function tellOnce(stateDir: string, name: string): boolean {
  const path = join(stateDir, `told-${name}`);
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Forgets it again when the state is over. */
export function untell(stateDir: string, name: string): void {
  try {
    unlinkSync(join(stateDir, `told-${name}`));
  } catch {}
}
