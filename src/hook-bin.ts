import { join } from 'node:path';
import { stateDir } from './config/paths.ts';
import type { main } from './hook-main.ts';
import { runCached } from './lib/code-cache.ts';

/**
 * The hook binary: `pre-turn.cjs [--harness NAME]`. It only finds the code: the kill switch comes before any of it.
 * Should even that fail, the turn runs: exit 0.
 */
declare const __dirname: string;

if (process.env.PRETURN !== '0') {
  try {
    const cache = join(stateDir(process.env), 'code');
    const hook = runCached(join(__dirname, 'pre-turn.main.cjs'), cache) as { main: typeof main };
    const at = process.argv.indexOf('--harness');
    void hook.main(at < 0 ? undefined : process.argv[at + 1]);
  } catch {
    process.exitCode = 0;
  }
}
