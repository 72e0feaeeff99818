import { expect, it, onTestFinished } from 'vitest';
import { injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

const TURNS = 40;

it(`kill -9 at any moment of ${TURNS} turns of two sessions: nothing is acknowledged that no model was given`, async () => {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const { relay, url, agents } = await startRelay(['bob']);
  const me = await relay.service.actAs('bob');
  const env = {
    ...home.env,
    PRETURN_URL: url,
    PRETURN_TOKEN: agents.bob.token,
    PRETURN_BUDGET_MS: '8000',
    PRETURN_MAX_TOKENS: '600',
  };
  const sessions = [new SimSession(home.dir, 'claude-code', 0), new SimSession(home.dir, 'codex', 1)];
  const seen = new Set<number>();
  let sent = 0;
  let killed = 0;

  async function audit(): Promise<number> {
    const { cursor } = await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER });
    for (let seq = 1; seq <= cursor; seq++) expect(seen, `${seq} is acknowledged`).toContain(seq);
    return cursor;
  }
  async function turn(session: SimSession, deadly: boolean): Promise<void> {
    // A turn takes 40 to 80 ms here; the moments cover its whole life and a little more.
    const kill = () => (deadly ? { kill: { signal: 'SIGKILL' as const, afterMs: Math.random() * 100 } } : {});
    session.nextTurn();
    const run = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env, ...kill() });
    if (run.signal !== null) killed++;
    // A client drops what a killed hook printed, except when it died after its last byte.
    const whole = run.signal === null || injected(run.stdout) !== undefined;
    session.receive(whole ? run.stdout : '', 'given');
    for (const seq of session.answer()) seen.add(seq);
    session.over();
    await runBuiltHook({ stdin: session.stdin('Stop'), env, ...kill() });
    await audit();
  }

  for (let i = 0; i < TURNS; i++) {
    for (let n = 0; n < i % 4; n++)
      await relay.service.deliver({ recipient: 'bob', content: `mail ${++sent} ${'x '.repeat(n * 40)}` });
    await turn(sessions[i % 2]!, true);
  }
  expect(killed).toBeGreaterThan(TURNS / 8);
  for (let i = 0; (await audit()) < sent; i++) {
    expect(i, 'ordinary turns must empty the inbox').toBeLessThan(TURNS);
    await turn(sessions[i % 2]!, false);
  }
  expect(seen.size).toBe(sent);
});
