import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { editConfig, readDraft } from '../../../src/config/edit.ts';
import { readConfig } from '../../../src/config/load.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-config-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = () => join(dir, 'config.json');

describe('editConfig', () => {
  test('creates the file with mode 0600 and only what was set', async () => {
    const config = await editConfig(dir, draft => {
      draft.maxTokens = 1000;
    });
    expect(config).toMatchObject({ maxTokens: 1000, budgetMs: 1500, ack: 'confirmed' });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ maxTokens: 1000 });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('keeps unknown keys, which a newer preturn may own, and removes what is set to undefined', async () => {
    writeFileSync(file(), '\uFEFF{"future": {"a": 1}, "budgetMs": 900}');
    await editConfig(dir, draft => {
      draft.budgetMs = undefined;
      draft.paused = true;
    });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ future: { a: 1 }, paused: true });
  });

  test.each([
    ['cut JSON', '{"a": ', /line 1, column 7/],
    ['a comment', '{ // x\n}', /line 1, column 3/],
    ['an array', '[]', /one JSON object/],
    ['a number out of bounds', '{"budgetMs": 5}', /budgetMs must be a whole number from 200 to 10000/],
    ['a wrong type', '{"sources": 5}', /sources must be a list/],
    ['an unknown choice', '{"ack": "never"}', /ack must be one of confirmed, next-turn, after-print/],
    ['a newer version', '{"version": 2}', /version 2; this preturn knows 1/],
  ])('refuses %s and leaves the bytes', async (_, text, message) => {
    writeFileSync(file(), text);
    const edit = editConfig(dir, draft => {
      draft.paused = true;
    });
    await expect(edit).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) });
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  test('refuses to write what would not be valid', async () => {
    writeFileSync(file(), '{"budgetMs":900}');
    const edit = editConfig(dir, draft => {
      draft.budgetMs = 1;
    });
    await expect(edit).rejects.toMatchObject({ code: 'config_invalid' });
    expect(readFileSync(file(), 'utf8')).toBe('{"budgetMs":900}');
  });

  test('a missing file is an empty draft and is not created by reading', () => {
    expect(readDraft(dir)).toEqual({});
    expect(() => statSync(file())).toThrow();
  });

  test('the hook’s plain reader reads what conf wrote, with the same defaults', async () => {
    const config = await editConfig(dir, draft => {
      draft.sources = [{ name: 'default', kind: 'hyphae', url: 'http://127.0.0.1:7717', agent: 'bøb 🙂' }];
      draft.ack = 'next-turn';
      draft.packageDir = '/opt/pre turn';
    });
    const read = readConfig({ PRETURN_CONFIG_DIR: dir });
    expect(read).toEqual(config);
    expect(read).toMatchObject({ ack: 'next-turn', sources: [{ agent: 'bøb 🙂' }], budgetMs: 1500 });
  });

  test('eight processes that add ten sources each lose none', { timeout: 60_000 }, async () => {
    const worker = join(dir, 'worker.cjs');
    buildSync({
      stdin: { contents: WORKER, resolveDir: fileURLToPath(new URL('../../../', import.meta.url)), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      // jsonc-parser's `main` is a UMD file that cannot be bundled.
      mainFields: ['module', 'main'],
      outfile: worker,
    });
    const exits = Array.from({ length: 8 }, (_, at) => {
      const child = fork(worker, [dir, String(at), '10']);
      return new Promise(resolve => child.once('exit', resolve));
    });
    expect(await Promise.all(exits)).toEqual(Array(8).fill(0));
    expect(readDraft(dir).sources).toHaveLength(80);
  });
});

/** Bundled first, because Node 20 does not run TypeScript. */
const WORKER = `
import { editConfig } from './src/config/edit.ts';
const [dir, name, count] = process.argv.slice(2);
(async () => {
  for (let i = 0; i < Number(count); i++) {
    await editConfig(dir, draft => {
      draft.sources = [...(draft.sources ?? []), { name: 's' + name + '-' + i, url: 'http://127.0.0.1:1' }];
    });
  }
})();
`;
