import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import { CLI, type CliRun, cli, ended, firstLine, start } from '../helpers/cli.ts';
import { type Home, injected, makeHome } from '../helpers/hook.ts';
import { SimSession } from '../helpers/session.ts';

beforeAll(() => {
  if (!existsSync(CLI)) throw new Error('dist/cli.js is missing: run `npm run build` first.');
});

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const run = (args: string[], more: { env?: Record<string, string>; stdin?: string; cwd?: string } = {}) =>
  cli(args, { ...more, env: { ...home.env, ...more.env } });

/** Runs and expects success; stdout without its line end. */
async function good(args: string[], more: Parameters<typeof run>[1] = {}): Promise<string> {
  const result = await run(args, more);
  expect(result.stderr, args.join(' ')).toBe('');
  expect(result.code, args.join(' ')).toBe(0);
  return result.stdout.replace(/\n$/, '');
}

interface Served {
  readonly url: string;
  readonly adminToken: string;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

async function serve(...args: string[]): Promise<Served> {
  const child = start(['relay', '--port', '0', '--json', ...args], { env: home.env });
  const gone = ended(child);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const { url, adminToken } = JSON.parse(await firstLine(child.stdout)) as { url: string; adminToken: string };
  return {
    url,
    adminToken,
    stop(signal) {
      child.kill(signal);
      return gone;
    },
  };
}

/** Alice and bob at a served relay; bob is logged in, alice speaks through the environment. */
async function team(): Promise<{ relay: Served; alice: Record<string, string> }> {
  const relay = await serve();
  await good(['login', '--url', relay.url, '--admin', '--token-stdin'], { stdin: relay.adminToken });
  const tokens: string[] = [];
  for (const name of ['alice', 'bob']) {
    tokens.push(JSON.parse(await good(['agent', 'add', name, '--url', relay.url, '--json'])).token);
  }
  await good(['login', '--url', relay.url, '--token-stdin'], { stdin: `${tokens[1]}\n` });
  return { relay, alice: { PRETURN_URL: relay.url, PRETURN_TOKEN: tokens[0]! } };
}

/** Runs the installed command of an event, as Claude Code does. */
function fire(session: SimSession, event: string): { stdout: string; status: number | null } {
  const settings = JSON.parse(readFileSync(join(home.dir, '.claude', 'settings.json'), 'utf8'));
  const { command } = settings.hooks[event][0].hooks[0];
  return spawnSync('/bin/sh', ['-c', command], {
    env: home.env,
    input: JSON.stringify(session.stdin(event)),
    encoding: 'utf8',
  });
}

describe('from a message to a model', () => {
  test('a served relay, an installed hook, one turn: shown, acknowledged at Stop, and gone', async () => {
    const { alice } = await team();
    await good(['install', 'claude-code']);
    await good(['send', 'bob', 'The build is green.', '--kind', 'question'], { env: alice });
    const session = new SimSession(home.dir, 'claude-code', 1);
    session.nextTurn();
    const { stdout, status } = fire(session, 'UserPromptSubmit');
    expect(status).toBe(0);
    expect(injected(stdout)).toContain('The build is green.');
    expect(JSON.parse(await good(['inbox', '--json'])).items).toHaveLength(1);
    session.receive(stdout, 'given');
    session.answer();
    expect(fire(session, 'Stop').stdout).toBe('');
    expect(JSON.parse(await good(['inbox', '--json']))).toMatchObject({ cursor: 1, items: [] });
    session.nextTurn();
    expect(fire(session, 'UserPromptSubmit').stdout).toBe('');
    const doctor = await run(['doctor']);
    expect(doctor.code, doctor.stdout).toBe(0);
    expect(doctor.stdout).toContain('the hook is installed once');
  });

  test('an item settled by hand is not shown by the hook', async () => {
    const { alice } = await team();
    await good(['install', 'claude-code']);
    for (const body of ['first', 'second']) await good(['send', 'bob', body], { env: alice });
    await good(['ack', '2']);
    const session = new SimSession(home.dir, 'claude-code', 1);
    session.nextTurn();
    const block = injected(fire(session, 'UserPromptSubmit').stdout);
    expect(block).toContain('first');
    expect(block).not.toContain('second');
  });

  test('the same on a file: no server, no token', async () => {
    const url = `file:${join(home.dir, 'relay.db')}`;
    for (const name of ['alice', 'bob']) await good(['agent', 'add', name, '--url', url]);
    await good(['login', '--url', url, '--agent', 'bob']);
    await good(['install', 'claude-code']);
    await good(['send', 'bob', 'over a file'], { env: { PRETURN_URL: url, PRETURN_AGENT: 'alice' } });
    const session = new SimSession(home.dir, 'claude-code', 1);
    session.nextTurn();
    expect(injected(fire(session, 'UserPromptSubmit').stdout)).toContain('over a file');
  });

  test('pause ends the hook before any work, resume brings the mail', async () => {
    const { alice } = await team();
    await good(['install', 'claude-code']);
    await good(['send', 'bob', 'later'], { env: alice });
    await good(['pause']);
    const session = new SimSession(home.dir, 'claude-code', 1);
    session.nextTurn();
    expect(fire(session, 'UserPromptSubmit').stdout).toBe('');
    await good(['resume']);
    session.nextTurn();
    expect(injected(fire(session, 'UserPromptSubmit').stdout)).toContain('later');
  });
});

describe('the relay', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it with 0; the token is shown once, mail survives',
    async signal => {
      const first = await serve();
      expect(first.adminToken).toMatch(/^prt_/);
      expect(await first.stop(signal)).toBe(0);
      const second = await serve();
      expect(second.adminToken).toBeUndefined();
      const { agents } = JSON.parse(
        await good(['agent', 'list', '--url', second.url, '--json'], { env: { PRETURN_TOKEN: first.adminToken } }),
      );
      expect(agents).toMatchObject([{ handle: 'admin' }]);
    },
  );

  test.each([
    ['a public address', ['--host', '0.0.0.0'], 2, /clear text/],
    ['a store of another kind', ['--store', 'mysql://x'], 2, /not known/],
    ['a port out of range', ['--port', '70000'], 2, /whole number/],
    ['an address that is not ours', ['--host', '192.0.2.1', '--insecure-http'], 2, /cannot listen/],
  ])('%s is refused', async (_, args, code, message) => {
    const result = await run(['relay', '--port', '0', ...args]);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(message);
    expect(result.stdout).toBe('');
  });

  test('a port in use is named', async () => {
    const { url } = await serve('--store', ':memory:');
    const result = await run(['relay', '--port', new URL(url).port, '--store', ':memory:']);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
  });
});

describe('exit codes, and one clear error', () => {
  const once = ({ stdout, stderr }: CliRun) => {
    expect(stdout).toBe('');
    expect(stderr.match(/^preturn: /gm)).toHaveLength(1);
    expect(stderr).not.toMatch(/\n {4}at |node:internal/);
  };

  test.each([
    ['no such command', ['sned'], 2],
    ['no such option', ['send', '--bogus'], 2],
    ['a missing argument', ['read'], 2],
    ['too many arguments', ['pause', 'now'], 2],
    ['an option without its value', ['inbox', '--limit'], 2],
    ['a bad number', ['read', 'x'], 2],
    ['a token as an option', ['login', '--token', 'prt_secret'], 2],
    ['a token as an argument', ['login', 'prt_secret'], 2],
    ['no inbox', ['inbox'], 2],
    ['an unknown client', ['install', 'emacs'], 2],
    ['an unknown scope', ['install', 'codex', '--scope', 'world'], 2],
    ['an unknown key', ['config', 'set', 'colour', 'red'], 2],
  ])('%s: %j exits %i', async (_, args, code) => {
    const result = await run(args);
    expect(result.code).toBe(code);
    once(result);
    expect(result.stderr).not.toContain('prt_secret');
  });

  test('4 when nobody answers, 5 when the token is refused, 1 for an unknown recipient', async () => {
    const { relay, alice } = await team();
    const dead = await run(['send', 'bob', 'x'], { env: { PRETURN_URL: 'http://127.0.0.1:1', PRETURN_TOKEN: 't' } });
    const refused = await run(['inbox'], { env: { PRETURN_URL: relay.url, PRETURN_TOKEN: 'wrong' } });
    const unknown = await run(['send', 'nobody', 'x'], { env: alice });
    expect([dead.code, refused.code, unknown.code]).toEqual([4, 5, 1]);
    for (const result of [dead, refused, unknown]) once(result);
  });

  test('a relay that hangs: 4, and the id that makes a repetition safe', { timeout: 30_000 }, async () => {
    const server = createServer(() => {});
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const PRETURN_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const result = await run(['send', 'bob', 'x'], { env: { PRETURN_URL, PRETURN_TOKEN: 't' } });
    expect(result.code).toBe(4);
    expect(result.stderr).toMatch(/repeat it with --id [0-9a-f-]{36}/);
  });

  test.each([
    ['credentials that others can read', 'credentials.json', '{"version":1,"entries":[]}', 0o644, 5],
    ['a configuration that is not JSON', 'config.json', '{"a": ', 0o600, 2],
    ['a configuration out of bounds', 'config.json', '{"maxTokens": 1}', 0o600, 2],
  ])('%s', async (_, name, text, mode, code) => {
    const dir = home.env.PRETURN_CONFIG_DIR!;
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, name), text, { mode });
    const result = await run(['inbox'], { env: { PRETURN_URL: 'http://127.0.0.1:1', PRETURN_TOKEN: 't' } });
    expect(result.code).toBe(code);
    once(result);
    expect(readFileSync(join(dir, name), 'utf8')).toBe(text);
  });

  test('--json gives the error as JSON on stderr', async () => {
    for (const args of [
      ['inbox', '--json'],
      ['read', '--json'],
      ['install', 'emacs', '--json'],
    ]) {
      const result = await run(args);
      expect(result.code).toBe(2);
      expect(result.stdout).toBe('');
      const { error } = JSON.parse(result.stderr);
      expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) });
      expect(error).toHaveProperty('hint');
    }
  });
});

describe('help', () => {
  test.each(COMMANDS.map(({ name }) => name))('%s --help has examples', async name => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: preturn ${name}`);
    expect(stdout).toMatch(/Examples:\n {2}\S/);
    expect(stdout).toContain('--json');
  });

  test('no command at all is a usage error that shows the commands', async () => {
    const { code, stderr } = await run([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Commands:');
  });
});

describe('hook', () => {
  test.each([
    ['nothing configured', [], '{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}'],
    ['garbage on stdin', [], '\u0000{'],
    ['empty stdin', [], ''],
    ['an unknown option', ['--bogus', 'x'], '{}'],
    ['an unknown harness', ['--harness', 'emacs'], '{}'],
    ['a harness without a name', ['--harness'], '{}'],
  ])('%s: exits 0 and prints nothing', async (_, args, stdin) => {
    expect(await run(['hook', ...args], { stdin })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a broken configuration: exit 0, one line to the human, once', async () => {
    mkdirSync(home.env.PRETURN_CONFIG_DIR!, { recursive: true });
    writeFileSync(join(home.env.PRETURN_CONFIG_DIR!, 'config.json'), '{');
    const stdin = '{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}';
    const first = await run(['hook'], { stdin });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(JSON.parse(first.stdout).systemMessage).toContain('preturn doctor');
    expect((await run(['hook'], { stdin })).stdout).toBe('');
  });

  test('it is the hook: mail in the plain dialect', async () => {
    const { alice } = await team();
    await good(['send', 'bob', 'plain words'], { env: alice });
    const { code, stdout } = await run(['hook', '--harness', 'plain']);
    expect(code).toBe(0);
    expect(stdout).toContain('plain words');
  });
});

test('a reader that closes the pipe early is no failure', async () => {
  const { alice } = await team();
  for (let i = 0; i < 3; i++) await good(['send', 'bob', 'x'.repeat(5000)], { env: alice });
  const script = `"$0" "$1" read 1 | head -c 1 >/dev/null; "$0" "$1" inbox --json | true; exit 0`;
  const child = spawn('/bin/sh', ['-c', script, process.execPath, CLI], { env: home.env });
  let noise = '';
  child.stderr.on('data', chunk => {
    noise += chunk;
  });
  await new Promise(resolve => child.on('close', resolve));
  expect(noise).toBe('');
});

test('configuration edits of many processes at once are all kept', async () => {
  const edits = [
    ['budgetMs', '900'],
    ['maxTokens', '800'],
    ['maxBytes', '7000'],
    ['limit', '20'],
    ['ack', 'next-turn'],
    ['paused', 'true'],
  ];
  const results = await Promise.all(edits.map(([key, value]) => run(['config', 'set', key!, value!])));
  expect(results.map(result => [result.code, result.stderr])).toEqual(edits.map(() => [0, '']));
  expect(JSON.parse(readFileSync(join(home.env.PRETURN_CONFIG_DIR!, 'config.json'), 'utf8'))).toEqual({
    budgetMs: 900,
    maxTokens: 800,
    maxBytes: 7000,
    limit: 20,
    ack: 'next-turn',
    paused: true,
  });
});

test('nothing but the configuration holds a token', async () => {
  await team();
  await good(['install', 'claude-code']);
  await good(['install', 'codex']);
  const files = readdirSync(home.dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const holding = files
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => /prt_[A-Za-z0-9_-]{20}/.test(readFileSync(path, 'latin1')));
  expect(holding).toEqual([join(home.env.PRETURN_CONFIG_DIR!, 'credentials.json')]);
});
