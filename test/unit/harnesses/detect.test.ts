import { describe, expect, it } from 'vitest';
import { detectHarness, HARNESSES, harnessNamed } from '../../../src/harnesses/index.ts';

/** Stdin as the clients send it. */
const claude = {
  session_id: 's',
  transcript_path: '/h/s.jsonl',
  cwd: '/p',
  prompt_id: 'p1',
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  prompt: 'hi',
};
const codex = {
  session_id: 's',
  turn_id: 't1',
  transcript_path: '/h/rollout-1.jsonl',
  cwd: '/p',
  hook_event_name: 'UserPromptSubmit',
  model: 'm',
  prompt: 'hi',
};

describe('detectHarness', () => {
  it.each([
    ['Claude Code', claude, undefined, 'claude-code'],
    ['Codex', codex, undefined, 'codex'],
    ['Codex at the end of a session, without a turn id', { ...codex, turn_id: undefined }, undefined, 'codex'],
    [
      'Claude Code at the end of a session',
      { ...claude, hook_event_name: 'SessionEnd', prompt: undefined },
      undefined,
      'claude-code',
    ],
    ['a client whose stdin has a timestamp', { ...claude, timestamp: 'x' }, undefined, undefined],
    ['nothing', undefined, undefined, undefined],
    ['nothing, with a name', undefined, 'plain', 'plain'],
    ['an object of nobody, with a name', { a: 1 }, 'json', 'json'],
    ['a client’s stdin beats another name', claude, 'codex', 'claude-code'],
    ['a name that is none', undefined, 'emacs', undefined],
    ['a session id that is a number', { ...claude, session_id: 7 }, undefined, undefined],
  ])('%s', (_, stdin, name, wanted) => {
    const clean = stdin && JSON.parse(JSON.stringify(stdin));
    expect(detectHarness(clean, name)?.name).toBe(wanted);
  });

  it('never takes one stdin for two clients’', () => {
    for (const stdin of [claude, codex]) expect(HARNESSES.filter(one => one.recognise(stdin))).toHaveLength(1);
  });
});

describe.each([
  ['claude-code', claude, 'p1'],
  ['codex', codex, 't1'],
])('%s', (name, stdin, turn) => {
  const harness = harnessNamed(name)!;

  it('reads a prompt', () => {
    expect(harness.parse(stdin)).toEqual({
      event: 'UserPromptSubmit',
      action: 'prompt',
      session: 's',
      turn,
      transcript: stdin.transcript_path,
      cwd: '/p',
      prompt: 'hi',
    });
  });

  it.each([
    ['Stop', {}, 'prove'],
    ['SessionEnd', {}, 'prove'],
    ['SubagentStop', {}, 'ignore'],
    ['PreToolUse', {}, 'ignore'],
    ['UserPromptSubmit', { agent_id: 'a1', agent_type: 'default' }, 'ignore'],
    ['Stop', { agent_id: 'a1' }, 'ignore'],
    ['UserPromptSubmit', { agent_id: null }, 'prompt'],
    ['UserPromptSubmit', { agent_id: '' }, 'prompt'],
    ['UserPromptSubmit', { prompt: '<task-notification>\n<task-id>1' }, 'prompt'],
  ])('%s %j: %s', (event, more, action) => {
    expect(harness.parse({ ...stdin, hook_event_name: event, ...more }).action).toBe(action);
  });

  it('prints one envelope, with the event it was asked for and no key of its own', () => {
    const parsed = harness.parse(stdin);
    const format = (block: string | null, notice: string | null) => harness.format(parsed, { block, notice });
    const nested = { hookEventName: 'UserPromptSubmit', additionalContext: 'B' };
    expect(JSON.parse(format('B', null))).toEqual({ hookSpecificOutput: nested });
    expect(JSON.parse(format(null, 'N'))).toEqual({ systemMessage: 'N' });
    expect(JSON.parse(format('B', 'N'))).toEqual({ systemMessage: 'N', hookSpecificOutput: nested });
    expect(format(null, null)).toBe('');
  });
});

describe.each(['plain', 'json'])('%s', name => {
  const harness = harnessNamed(name)!;

  it('takes any stdin, or none, for a prompt, and a client’s proving events for what they are', () => {
    expect(harness.parse(undefined)).toMatchObject({ event: 'prompt', action: 'prompt', session: '' });
    expect(harness.parse({ session_id: 's', turn_id: 't' })).toMatchObject({
      action: 'prompt',
      session: 's',
      turn: 't',
    });
    expect(harness.parse({ hook_event_name: 'Stop' }).action).toBe('prove');
  });

  it('gives a subagent nothing', () => {
    expect(harness.parse({ agent_id: 'a1' }).action).toBe('ignore');
    expect(harness.parse({ agent_id: 'a1', hook_event_name: 'UserPromptSubmit' }).action).toBe('ignore');
  });
});

it('plain prints the block alone: a notice is for a person', () => {
  const plain = harnessNamed('plain')!;
  const turn = plain.parse(undefined);
  expect(plain.format(turn, { block: 'B', notice: 'N' })).toBe('B\n');
  expect(plain.format(turn, { block: null, notice: 'N' })).toBe('');
});

it('json prints both', () => {
  const json = harnessNamed('json')!;
  const turn = json.parse(undefined);
  expect(JSON.parse(json.format(turn, { block: null, notice: 'N' }))).toEqual({ block: null, notice: 'N' });
  expect(json.format(turn, { block: null, notice: null })).toBe('');
});
