import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  launcherIn,
  launcherScript,
  removeLauncher,
  stableNodes,
  writeLauncher,
} from '../../../src/harnesses/launcher.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "preturn launcher's-"));
  mkdirSync(join(dir, 'package', 'hooks'), { recursive: true });
  writeFileSync(
    join(dir, 'package', 'hooks', 'pre-turn.cjs'),
    'console.log(JSON.stringify([__filename, ...process.argv.slice(2)]))',
  );
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '' };
const run = (path: string, more: Record<string, string> = {}, args: string[] = []) => {
  const result = spawnSync(path, args, { env: { ...env, ...more }, encoding: 'utf8' });
  return [result.status, result.stdout.trim(), result.stderr];
};

test('runs the package’s bundle with its arguments, else the copy, else nothing; exit 0 throughout', () => {
  const launcher = launcherIn(join(dir, 'data'));
  const own = join(dir, 'package', 'hooks', 'pre-turn.cjs');
  writeLauncher(launcher, join(dir, 'package'), env, process.execPath);
  expect(statSync(launcher.path).mode & 0o777).toBe(0o755);
  expect(run(launcher.path, {}, ['--harness', 'a b'])).toEqual([0, JSON.stringify([own, '--harness', 'a b']), '']);
  rmSync(join(dir, 'package'), { recursive: true });
  expect(run(launcher.path)).toEqual([0, JSON.stringify([join(launcher.copyDir, 'pre-turn.cjs')]), '']);
  rmSync(launcher.copyDir, { recursive: true });
  expect(run(launcher.path)).toEqual([0, '', '']);
  removeLauncher(launcher);
  expect(existsSync(join(dir, 'data'))).toBe(false);
});

test('PRETURN=0 ends it before any Node starts', () => {
  const path = join(dir, 'launcher');
  writeFileSync(path, launcherScript(['/bin/false'], ['/dev/null']), { mode: 0o755 });
  expect(run(path)[0]).toBe(1);
  expect(run(path, { PRETURN: '0' })).toEqual([0, '', '']);
});

test('a recorded Node that is gone, or is a directory, gives way to the one on PATH', () => {
  const path = join(dir, 'launcher');
  const hook = join(dir, 'package', 'hooks', 'pre-turn.cjs');
  writeFileSync(path, launcherScript([join(dir, 'gone'), dir], [hook]), { mode: 0o755 });
  expect(run(path)).toEqual([0, JSON.stringify([hook]), '']);
  const empty = join(dir, 'empty');
  mkdirSync(empty);
  expect(spawnSync('/bin/sh', [path], { env: { PATH: empty }, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: '',
  });
});

test('a Node on PATH that cannot run the bundle does not fail the turn', () => {
  const path = join(dir, 'launcher');
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho "SyntaxError" >&2\nexit 2\n', { mode: 0o755 });
  writeFileSync(path, launcherScript([], [join(dir, 'package', 'hooks', 'pre-turn.cjs')]), { mode: 0o755 });
  expect(run(path, { PATH: `${bin}:${env.PATH}` })).toEqual([0, '', '']);
});

test('the script is valid for the system’s sh', () => {
  const path = join(dir, 'launcher');
  writeFileSync(path, launcherScript(["/a'b/node"], ['/c d/x.cjs']));
  chmodSync(path, 0o755);
  execFileSync('/bin/sh', ['-n', path]);
});

test('the name on PATH comes before the real path of the running Node', () => {
  const bin = join('/var/tmp', `preturn-${process.pid}`);
  mkdirSync(bin);
  try {
    symlinkSync(process.execPath, join(bin, 'node'));
    expect(stableNodes({ PATH: `${dir}:${bin}` }, process.execPath)).toEqual([join(bin, 'node'), process.execPath]);
    expect(stableNodes({}, process.execPath)).toEqual([process.execPath]);
  } finally {
    rmSync(bin, { recursive: true });
  }
});
