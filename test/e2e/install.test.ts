import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { type Home, makeHome } from '../helpers/hook.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const run = (...args: string[]) => cli(args, { env: home.env });
async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect(stderr).toBe('');
  expect(code, args.join(' ')).toBe(0);
  return stdout;
}

const FILES = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json' } as const;
type Client = keyof typeof FILES;
const CLIENTS = Object.keys(FILES) as Client[];
const fileOf = (client: Client) => join(home.dir, FILES[client]);
function put(client: Client, text: string | Uint8Array): void {
  mkdirSync(dirname(fileOf(client)), { recursive: true });
  writeFileSync(fileOf(client), text);
}

/** Every file below the home with its bytes, and every link with its aim. */
function tree(): Record<string, string> {
  const entries = readdirSync(home.dir, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map(entry => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, 'latin1') : String(entry.isSymbolicLink())];
    }),
  );
}

const OTHER = '{ "hooks": [ { "type": "command", "command": "/usr/bin/other" } ] }';

describe.each(CLIENTS)('%s', client => {
  test.each([
    ['plain', '{\n  "model": "opus"\n}\n'],
    ['comments and trailing commas', '{\n  // mine\n  "a": [1, 2,], /* x */\n}\n'],
    ['byte order mark', '\uFEFF{\n  "a": 1\n}\n'],
    ['CRLF', '{\r\n  "a": 1\r\n}\r\n'],
    ['tabs', '{\n\t"a": 1\n}\n'],
    ['no final newline', '{\n  "a": 1\n}'],
    ['one line', '{"a":1}'],
    ['other people’s hooks in the same array', `{ "hooks": { "UserPromptSubmit": [ ${OTHER} ], "Stop": [] } }`],
  ])('%s: the bytes come back', async (_, text) => {
    put(client, text);
    await good('install', client);
    const installed = readFileSync(fileOf(client), 'utf8');
    expect(installed.match(/preturn-hook/g)?.length).toBe(client === 'codex' ? 2 : 3);
    expect(await good('install', client)).toContain('nothing to change');
    expect(readFileSync(fileOf(client), 'utf8')).toBe(installed);
    await good('uninstall', client);
    expect(readFileSync(fileOf(client))).toEqual(Buffer.from(text));
  });

  test('a missing file is missing again', async () => {
    await good('install', client);
    expect(statSync(fileOf(client)).mode & 0o777).toBe(0o600);
    await good('uninstall', client);
    expect(existsSync(dirname(fileOf(client)))).toBe(false);
    expect(existsSync(home.env.PRETURN_DATA_DIR!)).toBe(false);
  });

  test('a symlink and mode 0600 are kept', async () => {
    const real = join(home.dir, 'dotfiles.json');
    writeFileSync(real, '{}');
    chmodSync(real, 0o600);
    mkdirSync(dirname(fileOf(client)));
    symlinkSync(real, fileOf(client));
    await good('install', client);
    expect(lstatSync(fileOf(client)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('preturn-hook');
    expect(statSync(real).mode & 0o777).toBe(0o600);
    await good('uninstall', client);
    expect(lstatSync(fileOf(client)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe('{}');
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
    ['cut short', '{"a":', 'line 1, column 6'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'line 1, column 3'],
  ])('%s is refused with its place, and untouched', async (_, bytes, where) => {
    put(client, bytes);
    for (const args of [['install'], ['install', '--plan'], ['uninstall']]) {
      const before = tree();
      const result = await run(...args, client);
      expect([result.code, result.stdout]).toEqual([1, '']);
      expect(result.stderr).toContain(where);
      const { [join(home.env.PRETURN_CONFIG_DIR!, 'edit.lock')]: _lock, ...after } = tree();
      expect(Object.keys(after).filter(path => path !== home.env.PRETURN_CONFIG_DIR)).toEqual(
        Object.keys(before).filter(path => path !== home.env.PRETURN_CONFIG_DIR),
      );
      expect(readFileSync(fileOf(client))).toEqual(Buffer.from(bytes));
    }
  });

  test('--plan shows the edit and writes nothing at all', async () => {
    put(client, '{\n  "a": 1\n}\n');
    const before = tree();
    const text = await good('install', client, '--plan');
    expect(text).toContain('+    "UserPromptSubmit": [');
    expect(text).toContain(fileOf(client));
    expect(JSON.parse(await good('install', client, '--plan', '--json'))).toMatchObject({
      plan: true,
      action: 'installed',
    });
    expect(tree()).toEqual(before);
    await good('install', client);
    const installed = tree();
    expect(await good('uninstall', client, '--plan')).toContain('-    "UserPromptSubmit": [');
    expect(tree()).toEqual(installed);
  });

  test('says what is left to do, and trusts nothing by itself', async () => {
    const text = await good('install', client);
    expect(text).toContain(client === 'codex' ? 'only after you have trusted it' : 'Restart open Claude Code sessions');
    expect(existsSync(join(home.dir, '.codex', 'config.toml'))).toBe(false);
  });

  test('project scope edits the project’s file alone', async () => {
    const project = join(home.dir, 'project');
    mkdirSync(project);
    const result = await cli(['install', client, '--scope', 'project'], { env: home.env, cwd: project });
    expect(result.code).toBe(0);
    const text = readFileSync(join(project, FILES[client]), 'utf8');
    expect(text).toContain('$HOME/data/bin/preturn-hook');
    expect(text).not.toContain(home.dir);
    expect(existsSync(fileOf(client))).toBe(false);
    const command = JSON.parse(text).hooks.Stop[0].hooks[0].command;
    const ran = spawnSync('/bin/sh', ['-c', command], { env: home.env, input: '{}', encoding: 'utf8' });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, '', '']);
    await cli(['uninstall', client, '--scope', 'project'], { env: home.env, cwd: project });
    expect(readdirSync(project)).toEqual([]);
  });

  test('two installs at once leave one', async () => {
    put(client, '{"a": 1}');
    const results = await Promise.all([1, 2, 3].map(() => run('install', client)));
    expect(results.map(result => [result.code, result.stderr])).toEqual(results.map(() => [0, '']));
    expect(JSON.parse(readFileSync(fileOf(client), 'utf8')).hooks.Stop).toHaveLength(1);
    await good('uninstall', client);
    expect(readFileSync(fileOf(client), 'utf8')).toBe('{"a": 1}');
  });
});

test('CLAUDE_CONFIG_DIR and CODEX_HOME are followed', async () => {
  const env = { ...home.env, CLAUDE_CONFIG_DIR: join(home.dir, 'c'), CODEX_HOME: join(home.dir, 'x') };
  for (const client of CLIENTS) expect((await cli(['install', client], { env })).code).toBe(0);
  expect(existsSync(join(home.dir, 'c', 'settings.json'))).toBe(true);
  expect(existsSync(join(home.dir, 'x', 'hooks.json'))).toBe(true);
});

test('doctor: installed once, launcher works, Codex not trusted yet; twice is told', async () => {
  for (const client of CLIENTS) await good('install', client);
  const project = join(home.dir, 'project');
  mkdirSync(project);
  await cli(['install', 'claude-code', '--scope', 'project'], { env: home.env, cwd: project });
  const { stdout } = await cli(['doctor', '--json'], { env: home.env, cwd: project });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; text: string }[] };
  const states = checks.map(({ name, state }) => `${name} ${state}`);
  expect(states).toContain('Claude Code warn');
  expect(states).toContain('Codex ok');
  expect(states).toContain('Codex trust fail');
  expect(states.filter(one => one === 'launcher ok')).toHaveLength(2);
});

test('doctor says when the launcher finds nothing to run', async () => {
  await good('install', 'claude-code');
  const launcher = join(home.env.PRETURN_DATA_DIR!, 'bin', 'preturn-hook');
  writeFileSync(launcher, readFileSync(launcher, 'utf8').replaceAll('pre-turn.cjs', 'gone.cjs'));
  const { stdout } = await run('doctor');
  expect(stdout).toMatch(/FAIL {2}launcher: .*no Node or no bundle was found/);
});
