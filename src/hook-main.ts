import { randomBytes } from 'node:crypto';
import { fsyncSync } from 'node:fs';
import { stateDir } from './config/paths.ts';
import { type HookIo, runHook } from './hook.ts';
import { appendLog } from './lib/log.ts';
import { readStdin } from './lib/stdin.ts';
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
  process.on('SIGTERM', leave);
  process.on('uncaughtException', leave);
  process.on('unhandledRejection', leave);
  process.stdout.on('error', leave);
  try {
    const report = await runHook(processIo(harness));
    if (report.outcome !== 'off' && report.outcome !== 'ignored') {
      appendLog(stateDir(env), { at: new Date().toISOString(), ms: Math.round(performance.now()), ...report });
    }
  } catch (error) {
    appendLog(stateDir(env), { at: new Date().toISOString(), outcome: 'crashed', detail: String(error) });
  }
  leave();
}

export function processIo(harness: string | undefined): HookIo {
  return {
    env: process.env,
    stdin: () => readStdin(process.stdin, STDIN_WAIT_MS),
    harness,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    nonce: () => BigInt(`0x${randomBytes(16).toString('hex')}`).toString(36),
    sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
    write: text => new Promise(resolve => process.stdout.write(text, () => resolve())),
    open: openSource,
    fsync: fsyncSync,
    hardStop: budgetMs => {
      setTimeout(leave, Math.max(0, budgetMs - performance.now())).unref();
    },
  };
}

function leave(): void {
  process.exit(0);
}
