import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { type Fate, SimSession, sequencesOf } from '../helpers/session.ts';

let home: Home;
let session: SimSession;

beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
  session = new SimSession(home.dir, 'claude-code', 0);
});

async function bobsRelay() {
  const { relay, url, agents } = await startRelay(['alice', 'bob']);
  const me = await relay.service.actAs('bob');
  return {
    env: { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' },
    send: (content: string, kind = 'question') =>
      relay.service.deliver({ recipient: 'bob', from: 'alice', content, kind }),
    cursor: async () => (await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor,
  };
}

/** One prompt with its fate, the answer, and Stop where asked for; the block. */
async function turn(env: Record<string, string>, fate: Fate = 'given', stop = true): Promise<string | undefined> {
  session.nextTurn();
  const run = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
  expect([run.code, run.stderr]).toEqual([0, '']);
  session.receive(run.stdout, fate);
  if (session.busy) session.answer();
  session.over();
  if (stop) {
    const stopped = await runBuiltHook({ stdin: session.stdin('Stop'), env });
    expect([stopped.code, stopped.stdout, stopped.stderr]).toEqual([0, '', '']);
  }
  return injected(run.stdout);
}

describe.each(['claude-code', 'codex'] as const)('%s', dialect => {
  beforeEach(() => {
    session = new SimSession(home.dir, dialect, 0);
  });

  it('shows mail once, whole and fenced, and acknowledges it at Stop', async () => {
    const { env, send, cursor } = await bobsRelay();
    await send('Is `net` a string on purpose?');
    const block = await turn(env);
    expect(block).toMatch(/^<preturn-mail id="\w{20,}">\n/);
    expect(block).toContain('Is `net` a string on purpose?');
    expect(block).not.toContain('repeat=');
    expect(await cursor()).toBe(1);
    expect(await turn(env)).toBeUndefined();
  });

  it('acknowledges at the next prompt where no Stop hook is installed', async () => {
    const { env, send, cursor } = await bobsRelay();
    await send('one');
    await turn(env, 'given', false);
    expect(await cursor()).toBe(0);
    expect(await turn(env, 'given', false)).toBeUndefined();
    expect(await cursor()).toBe(1);
  });

  it.each(['discarded', 'cut', 'interrupted', 'vanished'] as const)(
    'shows %s mail again, marked as a possible repeat, and acknowledges nothing before',
    async fate => {
      const { env, send, cursor } = await bobsRelay();
      await send('one');
      await turn(env, fate);
      expect(await cursor()).toBe(0);
      expect(await turn(env)).toContain('repeat="possible"');
      expect(await cursor()).toBe(1);
      expect(await turn(env)).toBeUndefined();
    },
  );

  it('does not show again what stands unanswered in the context, and acknowledges it after the answer', async () => {
    const { env, send, cursor } = await bobsRelay();
    await send('one');
    session.nextTurn();
    session.receive((await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env })).stdout, 'given');
    session.fail();
    await send('two');
    const block = await turn(env);
    expect(sequencesOf(block ?? '')).toEqual([2]);
    expect(await cursor()).toBe(2);
  });
});

it('shrinks what is never proven: a digest after two showings, a bare line and one notice after four', async () => {
  const { env, send, cursor } = await bobsRelay();
  await send(`long ${'words '.repeat(60)}`);
  await send('short');
  const blocks: string[] = [];
  const notices: string[] = [];
  for (let i = 0; i < 7; i++) {
    session.nextTurn();
    const { stdout } = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
    blocks.push(injected(stdout) ?? '');
    notices.push((JSON.parse(stdout) as { systemMessage?: string }).systemMessage ?? '');
    session.receive(stdout, 'discarded');
    session.answer();
    session.over();
  }
  const tiers = blocks.map(block => /seq="1"[^>]*?(?:tier="(\w+)")/.exec(block)?.[1] ?? 'full');
  expect(tiers).toEqual(['full', 'full', 'digest', 'digest', 'line', 'line', 'line']);
  expect(notices.map(notice => notice.includes('printed four times'))).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
  expect(await cursor()).toBe(0);
  expect(await turn(env)).toContain('seq="1"');
  expect(await cursor()).toBe(2);
});

it('takes the next run for proof in next-turn mode, and the printing itself in after-print mode', async () => {
  const { env, send, cursor } = await bobsRelay();
  await send('one');
  await turn({ ...env, PRETURN_ACK: 'next-turn' }, 'discarded', false);
  expect(await cursor()).toBe(0);
  expect(await turn({ ...env, PRETURN_ACK: 'next-turn' }, 'given', false)).toBeUndefined();
  expect(await cursor()).toBe(1);
  await send('two');
  await turn({ ...env, PRETURN_ACK: 'after-print' }, 'vanished', false);
  expect(await cursor()).toBe(2);
});

it.each(['plain', 'json'] as const)('speaks %s without a client, and acknowledges at the next run', async harness => {
  const { env, send, cursor } = await bobsRelay();
  await send('one');
  const first = await runBuiltHook({ stdin: '', env, args: ['--harness', harness] });
  const text = harness === 'json' ? (JSON.parse(first.stdout) as { block: string }).block : first.stdout.trimEnd();
  expect(text).toMatch(/^<preturn-mail [\s\S]*one[\s\S]*<\/preturn-mail>$/);
  expect(await cursor()).toBe(0);
  const second = await runBuiltHook({ stdin: '', env, args: ['--harness', harness] });
  expect([second.stdout, second.code, await cursor()]).toEqual(['', 0, 1]);
});

it('gives two copies that fire at once for one prompt exactly one block', async () => {
  const { env, send } = await bobsRelay();
  await send('one');
  for (let i = 0; i < 5; i++) {
    session.nextTurn();
    const stdin = session.stdin('UserPromptSubmit');
    const runs = await Promise.all([runBuiltHook({ stdin, env }), runBuiltHook({ stdin, env })]);
    expect(runs.filter(run => run.stdout !== '')).toHaveLength(1);
    session.receive('', 'vanished');
  }
});

it('keeps an item with the session it was printed for', async () => {
  const { env, send } = await bobsRelay();
  await send('one');
  session.nextTurn();
  const here = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
  expect(injected(here.stdout)).toContain('one');
  const other = new SimSession(home.dir, 'codex', 1);
  other.nextTurn();
  const there = await runBuiltHook({ stdin: other.stdin('UserPromptSubmit'), env });
  expect(there.stdout).toBe('');
});

it('gives a subagent nothing and acknowledges nothing for it', async () => {
  const { env, send, cursor } = await bobsRelay();
  await send('one');
  session.nextTurn();
  const stdin = { ...session.stdin('UserPromptSubmit'), agent_id: 'sub-1', agent_type: 'default' };
  expect((await runBuiltHook({ stdin, env })).stdout).toBe('');
  expect(await cursor()).toBe(0);
  expect(await turn(env)).toContain('one');
});

it('ends before any work when switched off, paused, or off in the project', async () => {
  const { env, send } = await bobsRelay();
  await send('one');
  session.nextTurn();
  const stdin = { ...session.stdin('UserPromptSubmit'), cwd: home.dir };
  const off = await runBuiltHook({ stdin, env: { ...env, PRETURN: '0' } });
  expect([off.stdout, off.code]).toEqual(['', 0]);
  mkdirSync(join(home.dir, 'config'), { recursive: true });
  writeFileSync(join(home.dir, 'config', 'config.json'), '{"paused": true}');
  expect((await runBuiltHook({ stdin, env })).stdout).toBe('');
  writeFileSync(join(home.dir, 'config', 'config.json'), '{}');
  writeFileSync(join(home.dir, '.preturn.json'), '{"off": true}');
  expect((await runBuiltHook({ stdin, env })).stdout).toBe('');
  writeFileSync(join(home.dir, '.preturn.json'), '{"maxTokens": 300}');
  expect(injected((await runBuiltHook({ stdin, env })).stdout)).toContain('one');
});
