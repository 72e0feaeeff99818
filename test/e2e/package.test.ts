import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import { ROOT } from '../helpers/imports.ts';

/** What the tarball may hold, beside package.json (npm always adds it). */
const SHIPPED =
  /^(dist|hooks|templates|\.claude-plugin|\.codex-plugin)\/|^(\.mcp\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
/** UTF-8 bytes of all files: three bundles, dist and texts; room for growth, none for a stray directory. */
const MAX_UNPACKED = 4 * 1024 * 1024;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: ReadonlyArray<{ readonly path: string; readonly mode: number }>;
}

let dir: string;
let home: string;
let packed: Packed;

// No scripts: other tests run the built files meanwhile, and `npm install` has just built them.
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-package-'));
  home = mkdtempSync(join(dir, 'home-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', dir];
  [packed] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' })) as [Packed];
  // Dependencies' install scripts stay off too: the package must need none of them.
  writeFileSync(join(dir, 'package.json'), '{"private":true}');
  const install = ['install', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, join(dir, packed.filename)], { cwd: dir, stdio: 'pipe' });
}, 300_000);
afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));

const installed = (...path: string[]) => join(dir, 'node_modules', ...path);

function run(command: string, args: readonly string[], input = '') {
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: dir, env, input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the tarball', () => {
  it('holds only what ships', () => {
    const paths = packed.files.map(file => file.path);
    expect(paths.filter(path => !SHIPPED.test(path))).toEqual([]);
    const wanted = ['dist/cli.js', 'dist/index.js', 'dist/index.d.ts', 'LICENSE', 'CHANGELOG.md', 'README.md'];
    const hooks = ['pre-turn.cjs', 'pre-turn.main.cjs', 'pre-turn.proxy.cjs', 'pre-turn.file.cjs', 'hooks.json'];
    const manifests = ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json'];
    expect(
      [...wanted, ...hooks.map(file => `hooks/${file}`), ...manifests].filter(path => !paths.includes(path)),
    ).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(MAX_UNPACKED);
  });

  it('has nothing in dist that no source makes', () => {
    const stale = packed.files
      .filter(({ path }) => path.startsWith('dist/'))
      .filter(({ path }) => !existsSync(join(ROOT, path.replace(/^dist/, 'src').replace(/(\.d\.ts|\.js)$/, '.ts'))));
    expect(stale).toEqual([]);
  });
});

describe('installed into an empty folder, without any install script', () => {
  it('compiled nothing', () => {
    const built = readdirSync(installed(), { recursive: true, encoding: 'utf8' }).filter(path =>
      /\/(build\/Release|CMakeFiles|obj\.target)\//.test(path),
    );
    expect(built).toEqual([]);
  });

  it('preturn --help lists the commands', () => {
    const { status, stdout, stderr } = run(installed('.bin', 'preturn'), ['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name.split(' ')[0]} `, 'm'));
  });

  it('preturn --version is the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(run(installed('.bin', 'preturn'), ['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('preturn-hook with an empty stdin prints nothing and exits 0', () => {
    expect(run(installed('.bin', 'preturn-hook'), [])).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('serves the public API, and SQLite works', () => {
    const script = `
      import { createRelay } from 'preturn';
      const relay = await createRelay({ store: 'sqlite:${join(dir, 'relay.db')}' });
      await relay.addAgent({ handle: 'bob' });
      console.log((await relay.service.listAgents()).map(agent => agent.handle).join());
      await relay.close();`;
    const result = run(process.execPath, ['--input-type=module', '-e', script]);
    expect(result).toEqual({ status: 0, stdout: 'bob\n', stderr: '' });
  });

  it('the hook reads a file: relay, whose native library lies beside the package', () => {
    const path = join(dir, 'relay.db');
    const stdin = { session_id: 's', transcript_path: join(dir, 't.jsonl'), cwd: dir, prompt_id: 'p', prompt: 'hi' };
    const env = { PATH: process.env.PATH ?? '', HOME: home, PRETURN_URL: `file:${path}`, PRETURN_AGENT: 'bob' };
    const script = `
      import { createRelay } from 'preturn';
      const relay = await createRelay({ store: 'sqlite:${path}' });
      await relay.service.deliver({ recipient: 'bob', content: 'The build is green.' });
      await relay.close();`;
    expect(run(process.execPath, ['--input-type=module', '-e', script])).toEqual({ status: 0, stdout: '', stderr: '' });
    const { stdout, stderr } = spawnSync(installed('.bin', 'preturn-hook'), [], {
      env: { ...env, PRETURN_BUDGET_MS: '10000' },
      input: JSON.stringify({ ...stdin, hook_event_name: 'UserPromptSubmit' }),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain('The build is green.');
  });
});
