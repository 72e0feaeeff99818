import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Context } from '../../../src/commands/shared/context.ts';

export interface TestHome {
  readonly dir: string;
  readonly notes: string[];
  readonly said: string[];
  context(options: {
    args?: readonly string[];
    options?: Record<string, unknown>;
    env?: Record<string, string>;
    stdin?: string | Uint8Array;
    terminal?: boolean;
    json?: boolean;
    cwd?: string;
  }): Context;
}

/** A throw-away home and contexts in it; gone when the test ends. */
export function testHome(): TestHome {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const notes: string[] = [];
  const said: string[] = [];
  return {
    dir,
    notes,
    said,
    context({ args = [], options = {}, env = {}, stdin = '', terminal = false, json = false, cwd = dir }) {
      const all = { HOME: dir, PATH: process.env.PATH ?? '', PRETURN_CONFIG_DIR: join(dir, 'config'), ...env };
      return {
        args,
        options,
        json,
        env: all,
        cwd,
        now: Date.now,
        stdin: Readable.from([Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
        terminal,
        width: 120,
        configDir: join(dir, 'config'),
        stateDir: join(dir, 'state'),
        dataDir: join(dir, 'data'),
        say: line => said.push(line),
        note: line => notes.push(line),
        waiting: (_, work) => work,
      };
    },
  };
}
