import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreturnError } from '../../../src/errors.ts';
import { type InstallOptions, install, uninstall } from '../../../src/harnesses/install.ts';
import { targetNamed } from '../../../src/harnesses/targets.ts';
import { settingsText } from './generate.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'preturn-install-'));
  mkdirSync(join(home, 'package', 'hooks'), { recursive: true });
  writeFileSync(join(home, 'package', 'hooks', 'pre-turn.cjs'), '');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function options(more: Partial<InstallOptions> = {}): InstallOptions {
  return {
    target: targetNamed('claude-code')!,
    scope: 'user',
    env: { HOME: home, PATH: process.env.PATH },
    cwd: join(home, 'project'),
    configDir: join(home, 'config'),
    dataDir: join(home, 'data'),
    packageDir: join(home, 'package'),
    execPath: process.execPath,
    plan: false,
    ...more,
  };
}

const settings = () => join(home, '.claude', 'settings.json');
function put(text: string | Buffer): void {
  mkdirSync(dirname(settings()), { recursive: true });
  writeFileSync(settings(), text);
}

async function refusal(work: Promise<unknown>): Promise<PreturnError> {
  return work.then(
    () => {
      throw new Error('It was not refused.');
    },
    error => error,
  );
}

describe('install, then uninstall, restores the bytes', () => {
  const other = '{"hooks":[{"type":"command","command":"/usr/bin/other"}]}';
  test.each([
    ['plain', '{\n  "model": "opus"\n}\n'],
    ['comments and trailing commas', '{\n  // mine\n  "model": "opus", /* x */\n  "env": { "A": "1", },\n}\n'],
    ['byte order mark', '\uFEFF{\n  "a": 1\n}\n'],
    ['CRLF', '{\r\n  "a": 1\r\n}\r\n'],
    ['tabs', '{\n\t"a": {\n\t\t"b": 2\n\t}\n}\n'],
    ['no final newline', '{\n    "a": 1\n}'],
    ['one line', '{"a":1}'],
    ['empty object', '{}'],
    ['blank', ''],
    ['blank lines', '\n\n'],
    ['empty hooks', '{"hooks": {  } }'],
    ['other hooks in the same array', `{"hooks":{"UserPromptSubmit":[${other}],"Stop":[ ]}}`],
  ])('%s', async (_, text) => {
    put(text);
    expect((await install(options())).action).toBe('installed');
    expect(readFileSync(settings(), 'utf8')).not.toBe(text);
    expect((await uninstall(options())).action).toBe('removed');
    expect(readFileSync(settings(), 'utf8')).toBe(text);
    expect(readdirSync(dirname(settings()))).toEqual(['settings.json']);
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  test('a missing file, and a missing directory, are missing again', async () => {
    await install(options());
    expect(Object.keys(JSON.parse(readFileSync(settings(), 'utf8')).hooks)).toEqual([
      'UserPromptSubmit',
      'Stop',
      'SessionEnd',
    ]);
    expect(statSync(settings()).mode & 0o777).toBe(0o600);
    await uninstall(options());
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  test('a symlink is followed and kept, and so is a dangling one', async () => {
    mkdirSync(join(home, '.claude'));
    mkdirSync(join(home, 'dotfiles'));
    const real = join(home, 'dotfiles', 'claude.json');
    symlinkSync('../dotfiles/claude.json', settings());
    await install(options());
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('preturn-hook');
    await uninstall(options());
    expect(existsSync(real)).toBe(false);
    writeFileSync(real, '{}');
    await install(options());
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
    await uninstall(options());
    expect(readFileSync(real, 'utf8')).toBe('{}');
  });

  test.each([0o600, 0o640, 0o644])('mode %o is kept', async mode => {
    put('{}');
    chmodSync(settings(), mode);
    await install(options());
    expect(statSync(settings()).mode & 0o777).toBe(mode);
    await uninstall(options());
    expect(statSync(settings()).mode & 0o777).toBe(mode);
  });

  test('1,000 generated files, through the disk', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(settingsText, async text => {
        put(text);
        await install(options());
        await uninstall(options());
        expect(readFileSync(settings(), 'utf8')).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('changes in between', () => {
  test('a second install changes nothing; two clients share the launcher', async () => {
    put('{}');
    const codex = options({ target: targetNamed('codex')! });
    await install(options());
    const text = readFileSync(settings(), 'utf8');
    expect((await install(options())).action).toBe('unchanged');
    expect(readFileSync(settings(), 'utf8')).toBe(text);
    await install(codex);
    await uninstall(options());
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
    expect(existsSync(join(home, 'data', 'bin', 'preturn-hook'))).toBe(true);
    await uninstall(codex);
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  test('a file that the client rewrote loses our entries only', async () => {
    put('{\n\t"model": "opus" // mine\n}');
    await install(options());
    const rewritten = {
      ...JSON.parse(readFileSync(settings(), 'utf8').replace('// mine', '')),
      permissions: { allow: ['x'] },
    };
    put(JSON.stringify(rewritten, null, 2));
    expect((await uninstall(options())).action).toBe('removed');
    expect(readFileSync(settings(), 'utf8')).toBe(
      JSON.stringify({ model: 'opus', permissions: { allow: ['x'] } }, null, 2),
    );
  });

  test('a file that we made and someone filled stays', async () => {
    await install(options());
    put(readFileSync(settings(), 'utf8').replace('{', '{\n  "model": "opus",'));
    await uninstall(options());
    expect(JSON.parse(readFileSync(settings(), 'utf8'))).toEqual({ model: 'opus' });
  });

  test('entries removed by hand: nothing to do, and the launcher goes', async () => {
    put('{}');
    await install(options());
    put('{}');
    expect((await uninstall(options())).action).toBe('absent');
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  test('a moved data directory is brought up to date, and the bytes still come back', async () => {
    put('{"a":1}');
    await install(options());
    await install(options({ dataDir: join(home, 'elsewhere') }));
    expect(readFileSync(settings(), 'utf8')).toContain(join(home, 'elsewhere', 'bin', 'preturn-hook'));
    expect(readFileSync(settings(), 'utf8')).not.toContain(join(home, 'data', 'bin'));
    await uninstall(options({ dataDir: join(home, 'elsewhere') }));
    expect(JSON.parse(readFileSync(settings(), 'utf8'))).toEqual({ a: 1 });
  });

  test('a lost receipt costs no bytes of others', async () => {
    put('{\n  "a": 1 // x\n}\n');
    await install(options());
    rmSync(join(home, 'data', 'install'), { recursive: true });
    await uninstall(options());
    expect(readFileSync(settings(), 'utf8')).toBe('{\n  "a": 1 // x\n}\n');
  });
});

describe('plan', () => {
  test('shows the change and writes nothing at all', async () => {
    put('{}');
    const before = readdirSync(home).sort();
    const result = await install(options({ plan: true }));
    expect(result.after).toContain('preturn-hook');
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
    expect(readdirSync(home).sort()).toEqual(before);
    await install(options());
    expect((await uninstall(options({ plan: true }))).after).toBe('{}');
    expect(readFileSync(settings(), 'utf8')).toContain('preturn-hook');
  });
});

describe('refused, and untouched', () => {
  test.each([
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', /line 3, column 3: comma expected/],
    ['not UTF-8', Buffer.from([0x7b, 0x0a, 0x20, 0xff, 0x7d]), /line 2, column 2: the bytes are not UTF-8/],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), /line 1, column 1: the bytes are not UTF-8/],
    ['hooks of another type', '{"hooks":[]}', /line 1, column 10: `hooks` is not an object/],
  ])('%s', async (_, bytes, message) => {
    put(bytes);
    for (const work of [install(options()), uninstall(options())]) {
      const error = await refusal(work).catch(() => undefined);
      // Removing from hooks of another type has nothing to remove.
      if (error === undefined) expect(bytes).toBe('{"hooks":[]}');
      else expect(error).toMatchObject({ code: 'settings_unparsable', message: expect.stringMatching(message) });
    }
    expect(readFileSync(settings())).toEqual(Buffer.from(bytes));
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  test('a directory in its place', async () => {
    mkdirSync(settings(), { recursive: true });
    expect(await refusal(install(options()))).toMatchObject({ code: 'settings_unparsable' });
  });

  test('links in a circle', async () => {
    mkdirSync(dirname(settings()));
    symlinkSync('settings.json', settings());
    expect(await refusal(install(options()))).toMatchObject({ code: 'settings_unparsable' });
  });

  test('a package without a bundle', async () => {
    put('{}');
    rmSync(join(home, 'package', 'hooks'), { recursive: true });
    expect(await refusal(install(options()))).toMatchObject({ code: 'internal' });
    expect(readFileSync(settings(), 'utf8')).toBe('{}');
  });

  test('a launcher path that a shell would interpret', async () => {
    expect(await refusal(install(options({ dataDir: join(home, 'a$b') })))).toMatchObject({ code: 'bad_input' });
  });
});

describe('commands', () => {
  const command = async (more: Partial<InstallOptions>) => {
    const result = await install(options({ plan: true, ...more }));
    return JSON.parse(result.after!).hooks.Stop[0].hooks[0].command;
  };
  test('the user’s file holds the absolute path', async () => {
    expect(await command({})).toBe(join(home, 'data', 'bin', 'preturn-hook'));
  });
  test('a blank in the path is quoted', async () => {
    expect(await command({ dataDir: join(home, 'a b') })).toBe(`"${join(home, 'a b', 'bin', 'preturn-hook')}"`);
  });
  test('a project’s file names no home directory and tolerates its absence', async () => {
    const result = await install(options({ scope: 'project', target: targetNamed('codex')! }));
    expect(result.file).toBe(join(home, 'project', '.codex', 'hooks.json'));
    expect(readFileSync(result.file, 'utf8')).not.toContain(home);
    expect(JSON.parse(readFileSync(result.file, 'utf8')).hooks.Stop[0].hooks[0].command).toBe(
      '"$HOME/data/bin/preturn-hook" || true',
    );
    expect((await install(options({ scope: 'project', target: targetNamed('codex')! }))).action).toBe('unchanged');
  });
});
