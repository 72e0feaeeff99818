import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHook } from '../../../src/hook.ts';
import type { Report } from '../../../src/report.ts';
import type { HookIo } from '../../../src/run.ts';
import type { Source } from '../../../src/sources/source.ts';

/** Runs of the hook in this process over any source, a second apart. */
export class Bench {
  readonly dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'preturn-bench-'));
  private runs = 0;

  /** @returns what was printed; throws what the hook throws */
  async run(
    event: 'UserPromptSubmit' | 'Stop',
    source: Source,
    env: Record<string, string> = {},
    more: Partial<HookIo> = {},
  ): Promise<{ printed: string; report: Report }> {
    const run = this.runs++;
    let printed = '';
    const report = await runHook({
      env: {
        PRETURN_STATE_DIR: join(this.dir, 'state'),
        PRETURN_CONFIG_DIR: join(this.dir, 'config'),
        PRETURN_URL: source.origin,
        PRETURN_AGENT: 'bob',
        ...env,
      },
      stdin: async () => ({ object: { session_id: 's', prompt_id: `p${run}`, hook_event_name: event, prompt: 'hi' } }),
      harness: undefined,
      now: () => 1_800_000_000_000 + run * 1000,
      elapsed: () => 1,
      nonce: async () => `nonce${run}abcdefghijklmnopqrst`,
      sleep: async () => {},
      write: async text => {
        printed += text;
      },
      open: () => source,
      fsync: () => {},
      ...more,
    });
    return { printed, report };
  }

  /** Forgets every run. */
  reset(): void {
    rmSync(join(this.dir, 'state'), { recursive: true, force: true });
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Nothing, or one envelope as Claude Code takes it. */
export function isEnvelope(printed: string): boolean {
  if (printed === '') return true;
  const keys = Object.keys(JSON.parse(printed) as object);
  return keys.every(key => key === 'systemMessage' || key === 'hookSpecificOutput');
}
