import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

/** A disk that takes a few bytes a call, and from some byte on nothing; without a limit it is an ordinary one. */
const disk = vi.hoisted(() => ({ perCall: Number.POSITIVE_INFINITY, room: Number.POSITIVE_INFINITY }));
vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (file: number, data: string | Uint8Array, offset = 0) => {
    const bytes = Buffer.from(data as string).subarray(offset);
    const count = Math.min(bytes.length, disk.perCall, disk.room);
    if (count === 0 && bytes.length > 0)
      throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    disk.room -= count;
    return fs.writeSync(file, bytes, 0, count);
  };
  return { ...fs, writeSync, default: { ...fs, writeSync } };
});
const { replaceFile } = await import('../../../src/lib/files.ts');

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-files-'));
  path = join(dir, 'deep', 'file.json');
  disk.perCall = Number.POSITIVE_INFINITY;
  disk.room = Number.POSITIVE_INFINITY;
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

it('makes the directory, for the user alone, and the file too', () => {
  replaceFile(path, 'x', 'run');
  expect(statSync(join(dir, 'deep')).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('writes everything where a call takes only a part', () => {
  disk.perCall = 3;
  replaceFile(path, 'ein längerer Text', 'run');
  expect(readFileSync(path, 'utf8')).toBe('ein längerer Text');
});

it('on a disk that fills up midway it keeps the old file whole and leaves nothing beside it', () => {
  replaceFile(path, 'old', 'run');
  disk.room = 5;
  expect(() => replaceFile(path, 'something longer', 'run')).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(dir, 'deep'))).toEqual(['file.json']);
});

it('a temporary file that a killed run left is not in the way', () => {
  replaceFile(path, 'old', 'run');
  writeFileSync(`${path}.run.tmp`, 'half of someth');
  replaceFile(path, 'new', 'run');
  expect(readFileSync(path, 'utf8')).toBe('new');
});
