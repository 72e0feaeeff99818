import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { HOOK, type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { type Dialect, SimSession, sequencesOf } from '../helpers/session.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
});

async function bob() {
  const { relay, url, agents } = await startRelay(['bob']);
  const me = await relay.service.actAs('bob');
  return {
    env: { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' },
    send: (content: string) => relay.service.deliver({ recipient: 'bob', content }),
    cursor: async () => (await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor,
  };
}

/** Rounds in which all sessions are prompted in the same moment. */
const ROUNDS = 8;

it.each([
  ['two of one client', ['claude-code', 'claude-code']],
  ['three of two clients', ['claude-code', 'codex', 'codex']],
] as ReadonlyArray<[string, Dialect[]]>)(
  '%s prompted at once: each message is given once, all are acknowledged',
  async (_, dialects) => {
    const { env, send, cursor } = await bob();
    const sessions = dialects.map((dialect, index) => new SimSession(home.dir, dialect, index));
    const given: number[] = [];
    let sent = 0;
    async function round(): Promise<void> {
      await Promise.all(
        sessions.map(async session => {
          session.nextTurn();
          const run = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
          expect([run.code, run.stderr]).toEqual([0, '']);
          expect(injected(run.stdout) ?? '').not.toContain('repeat=');
          session.receive(run.stdout, 'given');
          given.push(...session.answer());
          session.over();
          await runBuiltHook({ stdin: session.stdin('Stop'), env });
        }),
      );
    }
    for (let i = 0; i < ROUNDS; i++) {
      for (let n = 0; n < 3; n++) await send(`mail ${++sent}`);
      await round();
    }
    // A session that found the inbox taken for too long leaves its mail to a later turn.
    for (let i = 0; (await cursor()) < sent && i < ROUNDS; i++) await round();
    expect(await cursor()).toBe(sent);
    expect([...given].sort((a, b) => a - b)).toEqual(Array.from({ length: sent }, (__, at) => at + 1));
  },
);

it.each(['claude-code', 'codex'] as const)(
  '%s: the copy of the settings and the copy of the plugin, fired for one prompt, give one block',
  async dialect => {
    const { env, send } = await bob();
    const plugin = join(home.dir, 'plugin', 'hooks');
    cpSync(dirname(HOOK), plugin, { recursive: true });
    const session = new SimSession(home.dir, dialect, 0);
    const fire = (hook: string, stdin: object) =>
      new Promise<string>(resolve => {
        const child = spawn(process.execPath, [hook], { env });
        let out = '';
        child.stdout.on('data', chunk => {
          out += chunk;
        });
        child.on('close', () => resolve(out));
        child.stdin.end(JSON.stringify(stdin));
      });
    for (let i = 0; i < 5; i++) {
      await send(`mail ${i}`);
      session.nextTurn();
      const stdin = session.stdin('UserPromptSubmit');
      const outs = await Promise.all([HOOK, join(plugin, 'pre-turn.cjs')].map(hook => fire(hook, stdin)));
      const blocks = outs.filter(out => out !== '');
      expect(blocks).toHaveLength(1);
      expect(sequencesOf(injected(blocks[0]!)!)).toEqual([i + 1]);
      session.receive(blocks[0], 'given');
      session.answer();
      session.over();
    }
  },
);

it('a Codex subagent fires under its parent’s session, with a turn and a transcript of its own: it gets nothing', async () => {
  const { env, send, cursor } = await bob();
  await send('for the parent');
  const parent = new SimSession(home.dir, 'codex', 0);
  const child = new SimSession(home.dir, 'codex', 1);
  parent.nextTurn();
  child.nextTurn();
  const of = (event: string) => ({
    ...child.stdin(event),
    session_id: parent.id,
    agent_id: 'agent-7',
    agent_type: 'default',
  });
  for (const event of ['UserPromptSubmit', 'Stop', 'SubagentStop', 'SessionEnd']) {
    expect(await runBuiltHook({ stdin: of(event), env })).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  }
  expect(await cursor()).toBe(0);
  const run = await runBuiltHook({ stdin: parent.stdin('UserPromptSubmit'), env });
  expect(injected(run.stdout)).toContain('for the parent');
});

it('a turn of a finished background task drains like any other', async () => {
  const { env, send } = await bob();
  await send('meanwhile');
  const session = new SimSession(home.dir, 'claude-code', 0);
  session.nextTurn();
  const stdin = { ...session.stdin('UserPromptSubmit'), prompt: '<task-notification>\n<task-id>b1</task-id>' };
  expect(injected((await runBuiltHook({ stdin, env })).stdout)).toContain('meanwhile');
});
