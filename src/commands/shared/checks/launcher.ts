import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcherIn } from '../../../harnesses/launcher.ts';
import { registrations } from '../../../harnesses/registration.ts';
import { TARGETS } from '../../../harnesses/targets.ts';
import { LOG_FILE } from '../../../lib/log.ts';
import { checks } from '../../../messages-doctor.ts';
import type { Context } from '../context.ts';
import { type Check, fail, ok } from './check.ts';

const TIMEOUT_MS = 10_000;
const PROMPT = { session_id: 'doctor', hook_event_name: 'UserPromptSubmit', prompt: 'doctor' };

/** Each command that a client would start, started as the client would, on a throw-away home without an inbox. */
export function checkLauncher({ env, cwd, dataDir }: Context): Check[] {
  const installed = TARGETS.flatMap(target => registrations(target, env, cwd)).flatMap(one => one.entries);
  const commands = [...new Set(installed.map(entry => entry.command))];
  return commands.map(command => {
    const { ms, problem } = rehearse(command, env);
    if (problem === undefined) return ok('launcher', checks.launcherWorks(command, ms));
    return fail('launcher', checks.launcherFails(command, problem), checks.launcherNext(launcherIn(dataDir).path));
  });
}

/** The launcher exits 0 whatever is missing; only the log line of a real run proves that the hook ran. */
function rehearse(command: string, env: Context['env']): { readonly ms: number; readonly problem: string | undefined } {
  const home = mkdtempSync(join(tmpdir(), 'preturn-doctor-'));
  const begun = performance.now();
  try {
    const result = spawnSync('/bin/sh', ['-c', command], {
      cwd: home,
      env: {
        PATH: env.PATH,
        HOME: env.HOME,
        PRETURN_CONFIG_DIR: join(home, 'config'),
        PRETURN_STATE_DIR: join(home, 'state'),
      },
      input: JSON.stringify({ ...PROMPT, cwd: home }),
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    const ms = Math.round(performance.now() - begun);
    // EPIPE: it ended without reading its stdin, as it does where nothing can be run.
    const broken = (result.error as NodeJS.ErrnoException | undefined)?.code !== 'EPIPE' ? result.error : undefined;
    if (broken) return { ms, problem: broken.message };
    if (result.status !== 0)
      return { ms, problem: checks.exited(result.status, result.signal, result.stderr.slice(0, 200)) };
    return { ms, problem: ran(join(home, 'state', LOG_FILE)) ? undefined : checks.nothingRan() };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function ran(log: string): boolean {
  try {
    return readFileSync(log, 'utf8').includes('"outcome"');
  } catch {
    return false;
  }
}
