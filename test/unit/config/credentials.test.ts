import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeCredential, saveCredential } from '../../../src/config/credentials.ts';
import { readCredentials } from '../../../src/config/load.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-credentials-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = () => join(dir, 'credentials.json');
const bob = { origin: 'http://127.0.0.1:7717', agentId: 'a1', handle: 'bob', token: 'secret-1' };

test('no file is no credentials', () => {
  expect(readCredentials(dir)).toEqual({ version: 1, entries: [] });
});

test('keyed by origin and agent id; the file is 0600', async () => {
  await saveCredential(dir, bob);
  await saveCredential(dir, { ...bob, agentId: 'a2', handle: 'carol' });
  await saveCredential(dir, { ...bob, origin: 'https://relay.example' });
  await saveCredential(dir, { ...bob, token: 'secret-2' });
  expect(readCredentials(dir).entries.map(one => [one.origin, one.agentId, one.token])).toEqual([
    [bob.origin, 'a2', 'secret-1'],
    ['https://relay.example', 'a1', 'secret-1'],
    [bob.origin, 'a1', 'secret-2'],
  ]);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await removeCredential(dir, bob)).toBe(true);
  expect(await removeCredential(dir, bob)).toBe(false);
  expect(readCredentials(dir).entries).toHaveLength(2);
});

test.each([0o640, 0o604, 0o644])('mode %o is refused, for reading and for writing', async mode => {
  await saveCredential(dir, bob);
  const bytes = readFileSync(file(), 'utf8');
  chmodSync(file(), mode);
  expect(() => readCredentials(dir)).toThrow(expect.objectContaining({ code: 'credentials_unsafe' }));
  await expect(saveCredential(dir, bob)).rejects.toMatchObject({ code: 'credentials_unsafe' });
  expect(readFileSync(file(), 'utf8')).toBe(bytes);
});

test.each([
  ['{"version": 1, "entries": [', /not JSON/],
  [
    '{"version": 1, "entries": [{"origin": "x", "agentId": 1, "handle": "x", "token": "very-secret"}]}',
    /entries\[0\]\.agentId/,
  ],
  ['{"version": 2, "entries": []}', /version/],
])('a file that does not fit is refused without quoting it: %s', async (text, message) => {
  writeFileSync(file(), text, { mode: 0o600 });
  const error = (() => {
    try {
      readCredentials(dir);
    } catch (thrown) {
      return thrown as Error;
    }
  })();
  expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) });
  expect(error?.message).not.toContain('very-secret');
  await expect(saveCredential(dir, bob)).rejects.toMatchObject({ code: 'config_invalid' });
  expect(readFileSync(file(), 'utf8')).toBe(text);
});
