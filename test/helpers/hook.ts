import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built hook, as a harness runs it. */
export const HOOK = fileURLToPath(new URL('../../hooks/pre-turn.cjs', import.meta.url));

/** A throw-away home: nothing of a test touches the real one. */
export interface Home {
  readonly dir: string;
  readonly env: Record<string, string>;
  remove(): void;
}

export function makeHome(extra: Readonly<Record<string, string>> = {}): Home {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-home-'));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    PRETURN_CONFIG_DIR: join(dir, 'config'),
    PRETURN_STATE_DIR: join(dir, 'state'),
    PRETURN_DATA_DIR: join(dir, 'data'),
    ...extra,
  };
  return { dir, env, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }) };
}

export interface HookRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookInput {
  /** An object is sent as JSON; text and bytes as they are; null leaves the pipe open without a byte. */
  readonly stdin: object | string | Uint8Array | null;
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Close stdin after writing; default true. */
  readonly end?: boolean;
  /** Sends a signal this many ms after start. */
  readonly kill?: { readonly signal: NodeJS.Signals; readonly afterMs: number };
}

/** Runs the built hook once as a child process. */
export function runBuiltHook(input: HookInput): Promise<HookRun> {
  const child = spawn(process.execPath, [HOOK, ...(input.args ?? [])], { env: input.env, cwd: input.cwd });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', chunk => out.push(chunk));
  child.stderr.on('data', chunk => err.push(chunk));
  child.stdin.on('error', () => {});
  if (input.stdin !== null) {
    const bytes =
      typeof input.stdin === 'string' || input.stdin instanceof Uint8Array ? input.stdin : JSON.stringify(input.stdin);
    if (input.end ?? true) child.stdin.end(bytes);
    else child.stdin.write(bytes);
  }
  const timer = input.kill && setTimeout(() => child.kill(input.kill!.signal), input.kill.afterMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** The text that a nested envelope injects; undefined when nothing was printed. Throws when stdout is no envelope. */
export function injected(stdout: string): string | undefined {
  if (stdout === '') return undefined;
  const envelope = JSON.parse(stdout) as { hookSpecificOutput?: { hookEventName: string; additionalContext: string } };
  return envelope.hookSpecificOutput?.additionalContext;
}
