import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codexTrust, hookHash } from '../../../src/harnesses/codex-trust.ts';
import { hookTroubles, registrations } from '../../../src/harnesses/registration.ts';
import { targetNamed } from '../../../src/harnesses/targets.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'preturn-registration-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const claude = targetNamed('claude-code')!;
const codex = targetNamed('codex')!;
const env = () => ({ HOME: home });
const cwd = () => join(home, 'project');
function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const hooks = (...events: string[]) => {
  const group = { hooks: [{ type: 'command', command: '/d/bin/preturn-hook', timeout: 15 }] };
  return JSON.stringify({ hooks: Object.fromEntries(events.map(event => [event, [group]])) });
};

describe('where the hook is registered', () => {
  test('nowhere', () => {
    expect(registrations(claude, env(), cwd())).toEqual([]);
    expect(registrations(codex, env(), cwd())).toEqual([]);
  });

  test('user, project, local settings and plugin of Claude Code', () => {
    put(
      '.claude/settings.json',
      `${hooks('UserPromptSubmit', 'Stop').slice(0, -1)},"enabledPlugins":{"preturn@preturn":true,"x@y":true}}`,
    );
    put('project/.claude/settings.json', `// mine\n${hooks('UserPromptSubmit')}`);
    put('project/.claude/settings.local.json', hooks('Stop'));
    expect(registrations(claude, env(), cwd()).map(one => [one.kind, one.events])).toEqual([
      ['user', { UserPromptSubmit: 1, Stop: 1 }],
      ['project', { UserPromptSubmit: 1 }],
      ['local', { Stop: 1 }],
      ['plugin', { UserPromptSubmit: 1, Stop: 1, SessionEnd: 1 }],
    ]);
  });

  test('in the home directory the project’s file is the user’s and counts once', () => {
    put('.claude/settings.json', hooks('UserPromptSubmit'));
    expect(registrations(claude, env(), home)).toHaveLength(1);
  });

  test('hooks.json, config.toml and plugin of Codex; a disabled plugin does not count', () => {
    put('.codex/hooks.json', hooks('UserPromptSubmit', 'Stop'));
    const toml =
      '[[hooks.UserPromptSubmit]]\n[[hooks.UserPromptSubmit.hooks]]\ntype = "command"\ncommand = "/x/preturn-hook"\n';
    put('.codex/config.toml', `${toml}[plugins."preturn@m"]\nenabled = true\n`);
    expect(registrations(codex, env(), cwd()).map(one => one.kind)).toEqual(['user', 'plugin', 'toml']);
    put('.codex/config.toml', '[plugins."preturn@m"]\nenabled = false\n');
    expect(registrations(codex, env(), cwd()).map(one => one.kind)).toEqual(['user']);
  });

  test('files that do not parse count nothing and do not throw', () => {
    put('.codex/hooks.json', '{');
    put('.codex/config.toml', '[[[');
    expect(registrations(codex, env(), cwd())).toEqual([]);
  });
});

describe('what keeps hooks from running', () => {
  test.each([
    ['a file that does not parse', '{"hooks": ', 'unparsable'],
    ['hooks switched off', '{"disableAllHooks": true}', 'disabled'],
    ['a malformed neighbour', '{"hooks":{"Stop":[{"command":"x"}]}}', 'bad-neighbour'],
    ['a neighbour without a type', '{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}', 'bad-neighbour'],
  ])('%s', (_, text, kind) => {
    put('.claude/settings.json', text);
    expect(hookTroubles(claude, env(), cwd()).map(one => one.kind)).toEqual([kind]);
  });

  test('nothing', () => {
    put('.claude/settings.json', hooks('Stop'));
    expect(hookTroubles(claude, env(), cwd())).toEqual([]);
  });
});

describe('Codex’s trust', () => {
  // As Codex 0.171 itself listed them.
  test('its hash of a definition', () => {
    expect(hookHash('user_prompt_submit', '/x/bin/preturn-hook', 15)).toBe(
      'sha256:0653bc8d884d49b19eba6e7ac82100148d2714a57dd013ea40a3d6febdb032a3',
    );
    expect(hookHash('stop', '/x/bin/preturn-hook', undefined)).toBe(
      'sha256:3ee690101cd6eef45bfdcc5fad7c0bb565a2b604266fd6654b4316acb3ac11bb',
    );
  });

  const states = () => codexTrust(registrations(codex, env(), cwd())[0]!, env()).map(one => one.trust);
  const record = (file: string, event: string, lines: string) => `[hooks.state."${file}:${event}:0:0"]\n${lines}\n`;

  test('none, trusted, changed, switched off', () => {
    const file = put('.codex/hooks.json', hooks('UserPromptSubmit', 'Stop'));
    expect(states()).toEqual(['untrusted', 'untrusted']);
    const prompt = `trusted_hash = "${hookHash('user_prompt_submit', '/d/bin/preturn-hook', 15)}"`;
    put(
      '.codex/config.toml',
      record(file, 'user_prompt_submit', prompt) + record(file, 'stop', 'trusted_hash = "sha256:0"'),
    );
    expect(states()).toEqual(['trusted', 'changed']);
    put('.codex/config.toml', record(file, 'user_prompt_submit', `${prompt}\nenabled = false`));
    expect(states()).toEqual(['disabled', 'untrusted']);
  });

  test('a plugin is trusted or not as a whole', () => {
    put('.codex/config.toml', '[plugins."preturn@m"]\nenabled = true\n');
    expect(states()).toEqual(['untrusted', 'untrusted']);
    const key = (event: string) =>
      record('preturn@m:hooks/codex-hooks.json', event, 'trusted_hash = "sha256:1/sha256:2"');
    put('.codex/config.toml', `[plugins."preturn@m"]\nenabled = true\n${key('user_prompt_submit')}${key('stop')}`);
    expect(states()).toEqual(['trusted', 'trusted']);
  });
});
