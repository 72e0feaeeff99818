import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { inboxDir, openJournal } from '../../../src/journal/journal.ts';

const KEY = { origin: 'http://127.0.0.1:7717', identity: 'ag_bob' };
let dir: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'preturn-journal-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  dir = inboxDir(root, KEY);
});
const open = (fsync?: (file: number) => void) => openJournal(dir, KEY, 'run', fsync);
const file = () => join(dir, 'journal.json');

it('is empty and not lost on a first run', () => {
  const journal = open();
  expect([journal.lost, journal.state.generation, journal.state.view]).toEqual([false, 1, null]);
});

it('gives back what was saved, for the user alone', () => {
  const journal = open();
  journal.state.proven.push({ seq: 3, id: 'x' });
  journal.save();
  expect(open().state.proven).toEqual([{ seq: 3, id: 'x' }]);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir).sort()).toEqual(['generation', 'journal.json']);
});

it.each([
  ['gone', () => rmSync(file())],
  ['cut', () => writeFileSync(file(), readFileSync(file()).subarray(0, 30))],
  ['not JSON', () => writeFileSync(file(), 'x')],
  ['of another shape', () => writeFileSync(file(), '{"v":1}')],
  ['of a newer version', () => writeFileSync(file(), readFileSync(file(), 'utf8').replace('"v":1', '"v":2'))],
  ['another inbox’s', () => writeFileSync(file(), readFileSync(file(), 'utf8').replace('ag_bob', 'ag_eve'))],
])('a journal that is %s is lost, and not a first run', (_, damage) => {
  const journal = open();
  journal.state.cursor = 7;
  journal.save();
  damage();
  const again = open();
  expect([again.lost, again.state.generation, again.state.cursor]).toEqual([true, 2, 0]);
  again.state.cursor = 1;
  again.save();
  expect(open().lost).toBe(false);
});

it('writes only what changed, durably', () => {
  let flushed = 0;
  const journal = open(() => flushed++);
  journal.save();
  journal.save();
  // The marker, once, and the journal.
  expect(flushed).toBe(2);
  journal.state.cursor = 1;
  journal.save();
  expect(flushed).toBe(3);
});

it('leaves the old journal whole, and nothing beside it, when the new one cannot be flushed', () => {
  open().save();
  const before = readFileSync(file(), 'utf8');
  const journal = open(() => {
    throw new Error('no space');
  });
  journal.state.cursor = 9;
  expect(() => journal.save()).toThrow('no space');
  expect(readFileSync(file(), 'utf8')).toBe(before);
  expect(readdirSync(dir).sort()).toEqual(['generation', 'journal.json']);
});
