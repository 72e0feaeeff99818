import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { localSource, storeStamp } from '../../../src/sources/hyphae/local.ts';

let path: string;
const OLD = new Date(1_700_000_000_000);
const NOW = OLD.getTime() + 60_000;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-stamp-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  path = join(dir, 'relay.db');
});
function put(file: string, text: string, at = OLD) {
  writeFileSync(file, text);
  utimesSync(file, at, at);
}

it('is equal while neither the database nor its log changed', () => {
  put(path, 'db');
  put(`${path}-wal`, 'log');
  expect(storeStamp(path, NOW)).toBeDefined();
  expect(storeStamp(path, NOW)).toBe(storeStamp(path, NOW + 5000));
});

it.each([
  ['the database grows', () => put(path, 'more')],
  ['its time moves', () => put(path, 'db', new Date(OLD.getTime() + 1))],
  ['the log appears', () => put(`${path}-wal`, '')],
  [
    'another file takes its place',
    () => {
      put(`${path}.new`, 'db');
      renameSync(`${path}.new`, path);
    },
  ],
])('is another when %s', (_, change) => {
  put(path, 'db');
  const before = storeStamp(path, NOW);
  change();
  expect(storeStamp(path, NOW)).not.toBe(before);
});

it('cannot be told of a file that is missing, or was written within the tick of a clock', () => {
  expect(storeStamp(path, NOW)).toBeUndefined();
  put(path, 'db');
  expect(storeStamp(path, OLD.getTime() + 50)).toBeUndefined();
  expect(storeStamp(path, OLD.getTime() - 50)).toBeUndefined();
});

it('a source over a missing file is unreachable, and makes no file', async () => {
  const source = localSource({
    name: 's',
    origin: `file:${path}`,
    path,
    agent: 'bob',
    busyTimeoutMs: 10,
    packageDir: undefined,
    now: () => NOW,
  });
  await expect(source.pull({}, new AbortController().signal)).rejects.toMatchObject({ code: 'unreachable' });
  expect(source.stamp?.()).toBeUndefined();
});
