import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRelayService } from '../../src/relay/service.ts';
import { type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

const TURNS = 40;

/** Bob's relay, served, or a file that hooks and senders share. */
const relays = {
  async http() {
    const { relay, url, agents } = await startRelay(['bob']);
    return { service: relay.service, env: { PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token } };
  },
  async file(home: Home) {
    const path = join(home.dir, 'relay.db');
    const service = await openRelayService({ path });
    onTestFinished(() => service.close());
    await service.addAgent({ handle: 'bob' });
    return { service, env: { PRETURN_URL: `file:${path}`, PRETURN_AGENT: 'bob' } };
  },
};

it.each(['http', 'file'] as const)(
  `%s: kill -9 at any moment of ${TURNS} turns of two sessions: nothing is acknowledged that no model was given`,
  async kind => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const { service, env: address } = await relays[kind](home);
    const me = await service.actAs('bob');
    const env = { ...home.env, ...address, PRETURN_BUDGET_MS: '8000', PRETURN_MAX_TOKENS: '600' };
    const sessions = [new SimSession(home.dir, 'claude-code', 0), new SimSession(home.dir, 'codex', 1)];
    const seen = new Set<number>();
    let sent = 0;
    let killed = 0;

    async function audit(): Promise<number> {
      const { cursor } = await service.pull(me, { since: Number.MAX_SAFE_INTEGER });
      for (let seq = 1; seq <= cursor; seq++) expect(seen, `${seq} is acknowledged`).toContain(seq);
      return cursor;
    }
    async function turn(session: SimSession, deadly: boolean): Promise<void> {
      // A turn takes 40 to 120 ms here; the moments cover its whole life and a little more.
      const kill = () => (deadly ? { kill: { signal: 'SIGKILL' as const, afterMs: Math.random() * 140 } } : {});
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
        await service.deliver({ recipient: 'bob', content: `mail ${++sent} ${'x '.repeat(n * 40)}` });
      await turn(sessions[i % 2]!, true);
    }
    expect(killed).toBeGreaterThan(TURNS / 8);
    for (let i = 0; (await audit()) < sent; i++) {
      expect(i, 'ordinary turns must empty the inbox').toBeLessThan(TURNS);
      await turn(sessions[i % 2]!, false);
    }
    expect(seen.size).toBe(sent);
  },
);
