import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Env,
  originOf,
  readConfig,
  readProject,
  resolveInboxes,
  resolveSettings,
} from '../../../src/config/load.ts';
import { readTrust } from '../../../src/config/trust.ts';
import { compileTrustFile, parseTrust } from '../../../src/config/trust-compile.ts';

let dir: string;
let env: Env;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-load-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  env = { PRETURN_CONFIG_DIR: dir };
});
const put = (name: string, value: unknown, mode = 0o600) =>
  writeFileSync(join(dir, name), typeof value === 'string' ? value : JSON.stringify(value), { mode });
const relay = 'http://127.0.0.1:7717';
const entry = (agentId: string, token: string, origin = relay) => ({
  origin,
  agentId,
  handle: agentId.slice(3),
  token,
});
const settings = (more: Env = {}, project = {}) => resolveSettings(readConfig(env), project, more);
const inboxes = (more: Env = {}, options = {}, project = {}) =>
  resolveInboxes(readConfig(env), project, { ...env, ...more }, { cwd: undefined, bindingFirst: false, ...options });
const code = (run: () => unknown) => {
  try {
    run();
    return 'fine';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('settings', () => {
  it('come from the environment over the file over the default, and values out of bounds are passed over', () => {
    put('config.json', '\uFEFF{"budgetMs": 900, "maxTokens": 1500}');
    expect(settings()).toMatchObject({
      budgetMs: 900,
      maxTokens: 1500,
      maxBytes: 9000,
      limit: 50,
      ack: 'confirmed',
      off: false,
    });
    const given = { PRETURN_BUDGET_MS: '700', PRETURN_MAX_TOKENS: '99', PRETURN_ACK: 'after-print' };
    expect(settings(given)).toMatchObject({ budgetMs: 700, maxTokens: 1500, ack: 'after-print' });
    expect(settings({ PRETURN_BUDGET_MS: 'soon', PRETURN_ACK: 'never' })).toMatchObject({
      budgetMs: 900,
      ack: 'confirmed',
    });
  });

  it('a project tightens and never loosens', () => {
    const project = { maxTokens: 400, budgetMs: 9000, maxBytes: 2000 };
    expect(settings({}, project)).toMatchObject({ maxTokens: 400, budgetMs: 1500, maxBytes: 2000 });
    expect(settings({}, { off: true }).off).toBe(true);
  });

  it.each([
    '{',
    '[]',
    '{"budgetMs": 1}',
    '{"sources": [{"name": "A B", "url": "x"}]}',
    '{"sources": [{"name": "a", "url": "x"}, {"name": "a", "url": "y"}]}',
    '{"version": 2}',
  ])('refuse %s', text => {
    put('config.json', text);
    expect(code(() => readConfig(env))).toBe('config_invalid');
  });
});

describe('a project file', () => {
  it('is found above the working directory, and switches off when it is not valid', () => {
    const deep = join(dir, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect(readProject(deep)).toEqual({});
    put('.preturn.json', { maxTokens: 500, ack: 'after-print', url: 'http://evil.test' });
    expect(readProject(deep)).toEqual({ maxTokens: 500 });
    writeFileSync(join(dir, 'a', '.preturn.json'), '{"maxTokens": "all"}');
    expect(readProject(deep)).toEqual({ off: true });
    expect(readProject('relative')).toEqual({});
  });
});

describe('inboxes', () => {
  it('an environment URL takes the environment’s token; a configured one never does', () => {
    put('config.json', { sources: [{ name: 'team', url: relay }] });
    put('credentials.json', { version: 1, entries: [entry('ag_bob', 'stored')] });
    expect(inboxes({ PRETURN_TOKEN: 'from-env' })).toMatchObject([
      { name: 'team', token: 'stored', identity: 'ag_bob', handle: 'bob' },
    ]);
    expect(inboxes({ PRETURN_URL: 'https://other.test', PRETURN_TOKEN: 'from-env' })).toMatchObject([
      { name: 'env', origin: 'https://other.test', token: 'from-env', identity: expect.stringMatching(/^token-\w+$/) },
    ]);
    expect(inboxes({ PRETURN_URL: relay, PRETURN_TOKEN: 'stored' })).toMatchObject([{ identity: 'ag_bob' }]);
  });

  it('a credential stays with its origin', () => {
    put('config.json', { sources: [{ name: 'team', url: 'http://127.0.0.1:7718' }] });
    put('credentials.json', { version: 1, entries: [entry('ag_bob', 'stored')] });
    expect(code(() => inboxes())).toBe('unauthenticated');
  });

  it('several identities need a choice: the source’s agent, or the project directory’s binding', () => {
    put('config.json', {
      sources: [{ name: 'team', url: relay }],
      bindings: [
        { dir: '/proj', source: 'team', agent: 'ag_bob' },
        { dir: '/proj/deep', source: 'team', agent: 'ag_eve' },
      ],
    });
    put('credentials.json', { version: 1, entries: [entry('ag_bob', '1'), entry('ag_eve', '2')] });
    expect(code(() => inboxes())).toBe('config_invalid');
    expect(inboxes({}, { cwd: '/proj/x' })).toMatchObject([{ identity: 'ag_bob' }]);
    expect(inboxes({}, { cwd: '/proj/deep/x' })).toMatchObject([{ identity: 'ag_eve' }]);
    expect(code(() => inboxes({}, { cwd: '/project' }))).toBe('config_invalid');
  });

  it('in Codex, whose daemon keeps the first terminal’s environment, a binding beats it', () => {
    put('config.json', {
      sources: [{ name: 'team', url: relay }],
      bindings: [{ dir: '/proj', source: 'team', agent: 'ag_bob' }],
    });
    put('credentials.json', { version: 1, entries: [entry('ag_bob', '1')] });
    const shell = { PRETURN_URL: 'http://127.0.0.1:9', PRETURN_TOKEN: 'x' };
    expect(inboxes(shell, { cwd: '/proj', bindingFirst: true })).toMatchObject([{ name: 'team', identity: 'ag_bob' }]);
    expect(inboxes(shell, { cwd: '/proj' })).toMatchObject([{ name: 'env' }]);
    expect(inboxes(shell, { cwd: '/else', bindingFirst: true })).toMatchObject([{ name: 'env' }]);
  });

  it('a project chooses among the configured sources', () => {
    put('config.json', {
      sources: [
        { name: 'a', url: 'file:/a.db', agent: 'x' },
        { name: 'b', url: 'file:/b.db', agent: 'x' },
      ],
    });
    expect(inboxes({}, {}, { sources: ['b', 'c'] }).map(one => one.name)).toEqual(['b']);
  });

  it('credentials that others can read are refused, and errors quote none of them', () => {
    put('config.json', { sources: [{ name: 'team', url: relay }] });
    put('credentials.json', { version: 1, entries: [] }, 0o644);
    expect(code(() => inboxes())).toBe('credentials_unsafe');
    rmSync(join(dir, 'credentials.json'));
    put('credentials.json', '{"version": 1, "entries": [{"token": "very-secret"');
    expect(() => inboxes()).toThrow(expect.objectContaining({ message: expect.not.stringContaining('very-secret') }));
  });
});

it.each([
  ['http://HOST:80/x', 'http://host'],
  ['https://relay.test:8443/base/', 'https://relay.test:8443'],
  ['file:/no/such/relay.db', 'file:/no/such/relay.db'],
  ['file:///no/such/relay.db', 'file:/no/such/relay.db'],
])('the origin of %s is %s', (url, origin) => {
  expect(originOf(url)).toBe(origin);
});
it.each(['relay', 'ftp://x', 'file:relay.db', 'http://user:pass@host', ''])('%s is no relay’s address', url => {
  expect(code(() => originOf(url))).toBe('config_invalid');
});

describe('trust.yaml', () => {
  it('is compiled once, and invalid for the hook while it is not compiled as it stands', () => {
    expect([readTrust(env), compileTrustFile(env)]).toEqual([{ state: 'none' }, { state: 'none' }]);
    put('trust.yaml', 'version: 1\nteammates:\n  alice: {}\nblocked: [mallory]\n');
    expect(readTrust(env)).toEqual({ state: 'invalid' });
    expect(compileTrustFile(env)).toEqual({ state: 'valid' });
    expect(readTrust(env)).toEqual({
      state: 'valid',
      unknown: 'withhold',
      entries: [
        { handle: 'mallory', decision: 'block' },
        { handle: 'alice', decision: 'show' },
      ],
    });
    put('trust.yaml', 'version: 1\n');
    expect(readTrust(env)).toEqual({ state: 'invalid' });
  });

  it.each([
    ['a bare yes', 'version: 1\nblocked: yes\n'],
    ['a duplicate key', 'version: 1\nblocked: []\nblocked: []\n'],
    ['no version', 'blocked: []\n'],
    ['a version as text', 'version: "1"\n'],
    ['an unknown policy', 'version: 1\nunknown_teammates: {policy: perhaps}\n'],
    ['no YAML', ': : :\n  - ['],
    ['nothing', ''],
  ])('%s is invalid', (_, text) => {
    expect(parseTrust(text).rules.state).toBe('invalid');
  });

  it('takes unknown keys, and unknown senders by its policy', () => {
    expect(parseTrust('version: 1\nmore: {}\nunknown_teammates: {policy: allow_with_default_trust}\n').rules).toEqual({
      state: 'valid',
      unknown: 'show',
      entries: [],
    });
  });
});
