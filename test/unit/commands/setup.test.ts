import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as agent from '../../../src/commands/agent.ts';
import * as config from '../../../src/commands/config.ts';
import { run as doctor } from '../../../src/commands/doctor.ts';
import { run as login } from '../../../src/commands/login.ts';
import { run as status } from '../../../src/commands/status.ts';
import { startRelay } from '../../helpers/relay.ts';
import { testHome } from './context.ts';

const SECRET = /prt_[A-Za-z0-9_-]{20,}/;

describe('login', () => {
  test('checks the token, stores it 0600 under (origin, agent id), and adds a source', async () => {
    const { url, agents } = await startRelay(['bob']);
    const home = testHome();
    const context = home.context({ options: { url, tokenStdin: true }, stdin: `${agents.bob.token}\n` });
    const { data, text } = await login(context);
    expect(data).toMatchObject({ origin: url, handle: 'bob', source: 'default' });
    expect(text).not.toMatch(SECRET);
    const file = join(home.dir, 'config', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).entries).toEqual([
      { origin: url, agentId: agents.bob.agentId, handle: 'bob', token: agents.bob.token },
    ]);
    const stored = readFileSync(join(home.dir, 'config', 'config.json'), 'utf8');
    expect(JSON.parse(stored).sources).toEqual([{ name: 'default', kind: 'hyphae', url, agent: agents.bob.agentId }]);
    expect(stored).not.toMatch(SECRET);
  });

  test('a second identity at the same relay takes the source over; a name of its own makes another', async () => {
    const { url, agents } = await startRelay(['bob', 'carol']);
    const home = testHome();
    const as = (token: string, options = {}) =>
      login(home.context({ options: { url, tokenStdin: true, ...options }, stdin: token }));
    await as(agents.bob.token);
    expect((await as(agents.carol.token)).data).toMatchObject({ source: 'default' });
    expect((await as(agents.bob.token, { name: 'second' })).data).toMatchObject({ source: 'second' });
    const { data } = await config.show(home.context({}));
    expect((data as { sources: unknown[] }).sources).toMatchObject([
      { index: 1, name: 'default', handle: 'carol', token: 'stored' },
      { index: 2, name: 'second', handle: 'bob', token: 'stored' },
    ]);
  });

  test.each([
    ['no URL', { tokenStdin: true }, 't', 'bad_input'],
    ['no URL that is one', { url: 'relay', tokenStdin: true }, 't', 'config_invalid'],
    ['a password in the URL', { url: 'http://u:p@127.0.0.1:1', tokenStdin: true }, 't', 'config_invalid'],
    ['no token', { url: 'http://127.0.0.1:1' }, 't', 'bad_input'],
    ['an empty token', { url: 'http://127.0.0.1:1', tokenStdin: true }, ' \n', 'bad_input'],
    ['two words as token', { url: 'http://127.0.0.1:1', tokenStdin: true }, 'a b', 'bad_input'],
    ['clear text beyond this machine', { url: 'http://192.0.2.1', tokenStdin: true }, 't', 'bad_input'],
    ['--agent at an HTTP relay', { url: 'http://127.0.0.1:1', agent: 'bob' }, '', 'bad_input'],
    ['a file without --agent', { url: 'file:/tmp/x.db' }, '', 'bad_input'],
    ['a token for a file', { url: 'file:/tmp/x.db', agent: 'bob', tokenStdin: true }, 't', 'bad_input'],
    ['a file that is not there', { url: 'file:/nowhere/x.db', agent: 'bob' }, '', 'unreachable'],
    ['a relay that is not there', { url: 'http://127.0.0.1:1', tokenStdin: true }, 't', 'unreachable'],
  ])('refuses %s and stores nothing', async (_, options, stdin, code) => {
    const home = testHome();
    await expect(login(home.context({ options, stdin }))).rejects.toMatchObject({ code });
    expect(existsSync(join(home.dir, 'config', 'credentials.json'))).toBe(false);
    expect(existsSync(join(home.dir, 'config', 'config.json'))).toBe(false);
  });

  test('refuses a wrong token, and one that may not drain unless it is an administrator’s', async () => {
    const { url, agents } = await startRelay([{ handle: 'root', rights: ['admin'] }]);
    const home = testHome();
    const as = (stdin: string, options = {}) =>
      login(home.context({ options: { url, tokenStdin: true, ...options }, stdin }));
    await expect(as('prt_wrong')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(as(agents.root.token)).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringMatching(/--admin/),
    });
    expect((await as(agents.root.token, { admin: true })).data).toMatchObject({ handle: 'root', source: null });
    expect(existsSync(join(home.dir, 'config', 'config.json'))).toBe(false);
  });
});

describe('agents', () => {
  test('over HTTP with the stored administrator', async () => {
    const { url, agents } = await startRelay([{ handle: 'admin', rights: ['admin'] }]);
    const home = testHome();
    await login(home.context({ options: { url, tokenStdin: true, admin: true }, stdin: agents.admin.token }));
    const added = await agent.add(home.context({ args: ['bob'], options: { url } }));
    expect(added.text).toMatch(SECRET);
    await expect(agent.add(home.context({ args: ['bob'], options: { url } }))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(agent.add(home.context({ args: ['Bob!'], options: { url } }))).rejects.toMatchObject({
      code: 'bad_input',
    });
    const rights = agent.add(home.context({ args: ['x'], options: { url, rights: 'fly' } }));
    await expect(rights).rejects.toMatchObject({ code: 'bad_input' });
    await agent.revoke(home.context({ args: ['bob'], options: { url } }));
    const { data, text } = await agent.list(home.context({ options: { url } }));
    expect((data as { agents: unknown[] }).agents).toMatchObject([
      { handle: 'admin' },
      { handle: 'bob', status: 'revoked' },
    ]);
    expect(text).toMatch(/^HANDLE +STATUS[\s\S]*bob +revoked/);
    const missing = agent.revoke(home.context({ args: ['nobody'], options: { url } }));
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  test('with a token from a file that the environment names', async () => {
    const { url, agents } = await startRelay([{ handle: 'admin', rights: ['admin'] }]);
    const home = testHome();
    const file = join(home.dir, 'token');
    writeFileSync(file, `${agents.admin.token}\n`);
    const env = { PRETURN_URL: url, PRETURN_TOKEN_FILE: file };
    expect((await agent.list(home.context({ env }))).data).toMatchObject({ agents: [{ handle: 'admin' }] });
    const missing = agent.list(home.context({ env: { ...env, PRETURN_TOKEN_FILE: `${file}-gone` } }));
    await expect(missing).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test('without an administrator’s token: refused, with what to do', async () => {
    const { url, agents } = await startRelay(['bob', 'carol']);
    const home = testHome();
    await expect(agent.list(home.context({ options: { url } }))).rejects.toMatchObject({ code: 'unauthenticated' });
    const env = { PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token };
    await expect(agent.list(home.context({ env }))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/admin/),
    });
    for (const { token } of [agents.bob, agents.carol]) {
      await login(home.context({ options: { url, tokenStdin: true }, stdin: token }));
    }
    await expect(agent.list(home.context({ options: { url } }))).rejects.toMatchObject({
      code: 'unauthenticated',
      hint: expect.stringMatching(/--as/),
    });
    await expect(agent.list(home.context({}))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('on a file: created by the first agent, no token needed, relative paths and ~ resolved', async () => {
    const home = testHome();
    await agent.add(home.context({ args: ['bob'], options: { url: 'file:data/relay.db' } }));
    expect(statSync(join(home.dir, 'data', 'relay.db')).mode & 0o077).toBe(0);
    const { data } = await login(home.context({ options: { url: 'file:~/data/relay.db', agent: 'bob' } }));
    expect(data).toMatchObject({ origin: `file:${join(home.dir, 'data', 'relay.db')}`, handle: 'bob' });
    const unknown = login(home.context({ options: { url: 'file:~/data/relay.db', agent: 'nobody' } }));
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    expect((await status(home.context({}))).data).toMatchObject({ inboxes: [{ state: 'ok', pending: 0 }] });
  });
});

describe('config', () => {
  const from = async (home: ReturnType<typeof testHome>, key: string, more = {}) =>
    (await config.get(home.context({ args: [key], ...more }))).data;

  test('says where each value comes from', async () => {
    const home = testHome();
    expect(await from(home, 'maxTokens')).toEqual({ key: 'maxTokens', value: 2000, from: 'default' });
    await config.set(home.context({ args: ['maxTokens', '1000'] }));
    expect(await from(home, 'maxTokens')).toMatchObject({ value: 1000, from: 'config.json' });
    const env = { PRETURN_MAX_TOKENS: '800' };
    expect(await from(home, 'maxTokens', { env })).toMatchObject({ value: 800, from: 'PRETURN_MAX_TOKENS' });
    writeFileSync(join(home.dir, '.preturn.json'), '{"maxTokens": 500, "budgetMs": 9000}');
    expect(await from(home, 'maxTokens', { env })).toMatchObject({ value: 500, from: '.preturn.json' });
    // A project can only tighten.
    expect(await from(home, 'budgetMs')).toMatchObject({ value: 1500, from: 'default' });
    const { text } = await config.set(home.context({ args: ['maxTokens', '1200'], env }));
    expect(text).toBe('maxTokens is 1200 in config.json, but .preturn.json makes it 500 here.');
    await config.unset(home.context({ args: ['maxTokens'], cwd: '/' }));
    expect(await from(home, 'maxTokens', { cwd: '/' })).toMatchObject({ value: 2000, from: 'default' });
  });

  test.each([
    ['nokey', '1'],
    ['maxTokens', '10'],
    ['maxTokens', 'many'],
    ['ack', 'never'],
    ['paused', 'yes'],
    ['sources', '[]'],
    ['__proto__', '1'],
  ])('set %s %s is refused', async (key, value) => {
    const home = testHome();
    await expect(config.set(home.context({ args: [key, value] }))).rejects.toMatchObject({ code: 'bad_input' });
    expect(existsSync(join(home.dir, 'config', 'config.json'))).toBe(false);
  });

  test('pause and resume', async () => {
    const home = testHome();
    await config.pause(home.context({}));
    expect(await from(home, 'paused')).toMatchObject({ value: true });
    await config.resume(home.context({}));
    expect(await from(home, 'paused')).toMatchObject({ value: false, from: 'default' });
  });
});

describe('doctor', () => {
  type Found = { data: { ok: boolean; checks: { name: string; state: string; text: string }[] }; exit: number };
  const look = async (home: ReturnType<typeof testHome>, env: Record<string, string> = {}) =>
    (await doctor(home.context({ env }))) as unknown as Found;
  const named = ({ data }: Found, name: string) => data.checks.find(check => check.name === name);

  test('a good set-up', async () => {
    const { url, agents } = await startRelay(['bob']);
    const home = testHome();
    await login(home.context({ options: { url, tokenStdin: true }, stdin: agents.bob.token }));
    const found = await look(home);
    expect(found.exit).toBe(0);
    expect(named(found, 'inbox default')).toMatchObject({ state: 'ok', text: expect.stringContaining('knows bob') });
    expect(JSON.stringify(found)).not.toMatch(SECRET);
  });

  test.each([
    ['nothing configured', {}, 2],
    ['a dead relay', { PRETURN_URL: 'http://127.0.0.1:1', PRETURN_TOKEN: 't' }, 4],
  ])('%s: exit code %#', async (_, env, exit) => {
    expect((await look(testHome(), env)).exit).toBe(exit);
  });

  test('a refused token, and a relay that is a web page', async () => {
    const { url } = await startRelay(['bob']);
    expect((await look(testHome(), { PRETURN_URL: url, PRETURN_TOKEN: 'wrong' })).exit).toBe(5);
    expect((await look(testHome(), { PRETURN_URL: `${url}/page`, PRETURN_TOKEN: 'wrong' })).exit).not.toBe(0);
  });

  test('loose credentials, a broken configuration and a broken trust file are told apart', async () => {
    const home = testHome();
    mkdirSync(join(home.dir, 'config'), { recursive: true });
    writeFileSync(join(home.dir, 'config', 'credentials.json'), '{"version":1,"entries":[]}', { mode: 0o644 });
    writeFileSync(join(home.dir, 'config', 'config.json'), '{"budgetMs": 1}');
    writeFileSync(join(home.dir, 'config', 'trust.yaml'), 'version: [');
    const found = await look(home);
    for (const name of ['config', 'credentials', 'trust']) expect(named(found, name)?.state, name).toBe('fail');
  });

  test('switches are named', async () => {
    const home = testHome();
    await config.pause(home.context({}));
    writeFileSync(join(home.dir, '.preturn.json'), '{"off": true}');
    const found = await look(home, { PRETURN: '0' });
    expect(found.data.checks.filter(check => check.name === 'switch')).toHaveLength(3);
  });

  test('last runs: never fired, crashed, and a healthy one', async () => {
    const home = testHome();
    mkdirSync(join(home.dir, 'state'), { recursive: true });
    const at = new Date().toISOString();
    const lines = [
      { at, outcome: 'crashed', harness: 'claude-code' },
      { at, outcome: 'ran', harness: 'codex', event: 'Stop', ms: 30 },
      'not json',
    ];
    writeFileSync(join(home.dir, 'state', 'turns.jsonl'), lines.map(one => JSON.stringify(one)).join('\n'));
    const runs = (await look(home)).data.checks.filter(check => check.name === 'last run');
    expect(runs.map(check => check.state).sort()).toEqual(['fail', 'ok']);
  });
});
