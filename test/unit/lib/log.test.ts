import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { appendLog, LOG_FILE } from '../../../src/lib/log.ts';

let dir: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'preturn-log-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  dir = join(root, 'state');
});
const file = () => join(dir, LOG_FILE);

it('appends one line an entry, for the user alone', () => {
  appendLog(dir, { a: 'two\nlines' });
  appendLog(dir, { b: 1 });
  expect(readFileSync(file(), 'utf8')).toBe('{"a":"two\\nlines"}\n{"b":1}\n');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

it('keeps one old file when it has grown, and never a third', () => {
  appendLog(dir, { first: true });
  for (const old of ['first', 'second']) {
    writeFileSync(file(), `${old}\n`.padEnd(1024 * 1024 + 1, 'x'));
    appendLog(dir, { after: old });
    expect(readFileSync(file(), 'utf8')).toBe(`{"after":"${old}"}\n`);
    expect(readFileSync(`${file()}.1`, 'utf8').startsWith(old)).toBe(true);
  }
  expect(existsSync(`${file()}.2`)).toBe(false);
});

it('never throws', () => {
  writeFileSync(dir, 'a file where the directory should be');
  expect(() => appendLog(dir, { a: 1 })).not.toThrow();
});
