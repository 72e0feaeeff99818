import { fsyncSync } from 'node:fs';
import { stateDir } from './config/paths.ts';
import { runHook } from './hook.ts';
import { appendLog } from './lib/log.ts';
import { freshNonce } from './lib/random.ts';
import { readProcessStdin } from './lib/stdin.ts';
import { writeStdout } from './lib/stdout.ts';
import type { HookIo } from './run.ts';
import { openSource } from './sources/index.ts';

/** Own deadline of stdin, ms: clients write it at once; one that never closes the pipe must not eat the budget. */
const STDIN_WAIT_MS = 500;

/**
 * The process around a turn. Whatever happens, it exits 0: harnesses read other codes as "block the turn" or as errors.
 * Standard error stays empty, because some clients show it.
 */
export async function main(harness: string | undefined): Promise<void> {
  const { env } = process;
  if (env.PRETURN === '0') return leave();
  process.removeAllListeners('warning');
  // No process can leave a look-up behind: with a dead name server glibc's 2 × 5 s kept a turn that was over for 10 s.
  process.env.RES_OPTIONS ??= 'timeout:1 attempts:1';
  process.on('SIGTERM', leave);
  process.on('uncaughtException', leave);
  process.on('unhandledRejection', leave);
  try {
    const report = await runHook(processIo(harness));
    if (report.outcome !== 'off' && report.outcome !== 'ignored') {
      appendLog(stateDir(env), { at: new Date().toISOString(), ms: Math.round(elapsed()), ...report });
    }
  } catch (error) {
    appendLog(stateDir(env), { at: new Date().toISOString(), outcome: 'crashed', detail: String(error) });
  }
  leave();
}

export function processIo(harness: string | undefined): HookIo {
  return {
    env: process.env,
    stdin: () => readProcessStdin(STDIN_WAIT_MS, sleep),
    harness,
    now: () => Date.now(),
    elapsed,
    nonce: freshNonce,
    sleep,
    write: text => writeStdout(text, sleep),
    open: openSource,
    fsync: fsyncSync,
    hardStop: budgetMs => {
      setTimeout(leave, Math.max(0, budgetMs - elapsed())).unref();
    },
  };
}

function leave(): void {
  process.exit(0);
}

/** Monotonic ms since process start; the global `performance` would load a module for it. */
function elapsed(): number {
  return process.uptime() * 1000;
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
