import { configDir, dataDir, stateDir } from '../../config/paths.ts';
import type { Context } from './context.ts';

/** When to say what is being waited for, ms. */
const PATIENT_MS = 1000;

/** The context of this process. */
export function processContext(args: readonly string[], options: Readonly<Record<string, unknown>>): Context {
  const { env, stdin, stdout, stderr } = process;
  const note = (line: string) => {
    stderr.write(`${line}\n`);
  };
  return {
    args,
    options,
    json: options.json === true,
    env,
    cwd: process.cwd(),
    now: Date.now,
    stdin,
    terminal: stdout.isTTY === true,
    width: stdout.columns || 100,
    configDir: configDir(env),
    stateDir: stateDir(env),
    dataDir: dataDir(env),
    say: line => {
      stdout.write(`${line}\n`);
    },
    note,
    async waiting(what, work) {
      const timer = setTimeout(() => stderr.isTTY && note(`Waiting for ${what} …`), PATIENT_MS);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
