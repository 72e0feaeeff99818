import { describe, expect, it } from 'vitest';
import { startRelay } from '../../helpers/relay.ts';
import { Refusal } from './surfaces.ts';
import { SURFACES, seqs, world } from './world.ts';

const codeOf = async (call: Promise<unknown>) => {
  const error = await call.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refusal);
  return (error as Refusal).code;
};

describe.each(SURFACES)('tokens (%s)', surface => {
  it('an expired token, and every token of a revoked agent, stops at once', async () => {
    let now = 1000;
    const w = await world(surface, { clock: () => now });
    const { token } = await w.service.issueToken('bob', { expiresAt: 2000 });
    await w.on.pull(token, {});
    now = 2000;
    expect(await codeOf(w.on.pull(token, {}))).toBe('unauthenticated');
    await w.pull();
    await w.service.revokeAgent('bob');
    expect(await codeOf(w.pull())).toBe('unauthenticated');
  });

  it('rights are separate: drain, send and admin include no other', async () => {
    const w = await world(surface);
    const token = async (...rights: ('drain' | 'send' | 'admin')[]) =>
      (await w.service.issueToken('bob', { rights })).token;
    const mail = { recipientAgentId: 'alice', kind: 'ack', body: 'x' };
    const drain = await token('drain');
    const send = await token('send');
    const admin = await token('admin');
    await w.on.pull(drain, {});
    await w.on.open(drain, {});
    await w.on.send(send, mail);
    for (const any of [drain, send, admin]) expect((await w.on.whoami(any)).handle).toBe('bob');
    for (const other of [send, admin]) {
      expect(await codeOf(w.on.pull(other, {}))).toBe('forbidden');
      expect(await codeOf(w.on.open(other, {}))).toBe('forbidden');
    }
    for (const other of [drain, admin]) expect(await codeOf(w.on.send(other, mail))).toBe('forbidden');
  });

  it('S000-30: a token narrower than its agent peeks, and never acks', async () => {
    const w = await world(surface);
    await w.fill([{ scope: 'team/a' }, { scope: 'team/b' }, 'hidden', 'visible']);
    const { token } = await w.service.issueToken('bob', { scopes: ['team/b', 'secret'] });
    // Its scopes narrow the agent's; they never widen them.
    expect(seqs(await w.on.pull(token, {}))).toEqual([4, 2]);
    expect(seqs(await w.on.open(token, {}))).toEqual([2, 4]);
    expect(await codeOf(w.on.pull(token, { ack: 4 }))).toBe('forbidden');
    expect((await w.pull()).cursor).toBe(0);
  });

  it('the time of the pull is written at most once a minute, never for an empty window or a peek', async () => {
    let now = 1_000_000;
    const w = await world(surface, { clock: () => now });
    const pulledAt = async () => (await w.service.listAgents()).find(a => a.handle === 'bob')!.lastPulledAt;
    await w.pull();
    expect(await pulledAt()).toBeNull();
    await w.fill(1);
    await w.on.pull((await w.service.issueToken('bob', { scopes: ['x'] })).token, {});
    expect(await pulledAt()).toBeNull();
    await w.pull();
    expect(await pulledAt()).toBe(1_000_000);
    now += 59_999;
    await w.pull();
    expect(await pulledAt()).toBe(1_000_000);
    now += 1;
    await w.pull();
    expect(await pulledAt()).toBe(1_060_000);
    now += 1;
    await w.pull({ ack: 1 });
    expect(await pulledAt()).toBe(1_060_001);
  });
});

describe('agents', () => {
  it('handles are never reused, and look like name or name@team', async () => {
    const { relay } = await startRelay(['bob', 'bob@team', 'claude-3f2a', 'x', 'a.b_c-d@e.f']);
    await expect(relay.addAgent({ handle: 'bob' })).rejects.toMatchObject({ code: 'conflict' });
    await relay.service.revokeAgent('bob');
    await expect(relay.addAgent({ handle: 'bob' })).rejects.toMatchObject({ code: 'conflict' });
    await relay.addAgent({ handle: 'bob', tenant: 'other' });
    for (const handle of [
      '',
      'Bob',
      'bob ',
      '-bob',
      'bob@',
      '@x',
      'a@b@c',
      'bób',
      'x'.repeat(65),
      crypto.randomUUID(),
    ]) {
      await expect(relay.addAgent({ handle }), handle).rejects.toMatchObject({ code: 'bad_input' });
    }
  });

  it('twenty at once: one wins a handle, all different ones are made', async () => {
    const { relay } = await startRelay([]);
    const same = await Promise.allSettled(Array.from({ length: 20 }, () => relay.addAgent({ handle: 'bob' })));
    expect(same.filter(r => r.status === 'fulfilled')).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, (_, i) => relay.addAgent({ handle: `a${i}` })));
    expect(await relay.service.listAgents()).toHaveLength(21);
  });

  it('the store holds no token, only its SHA-256', async () => {
    const { relay, agents } = await startRelay(['bob']);
    expect(agents.bob.token).toMatch(/^prt_[A-Za-z0-9_-]{43}$/);
    const rows = JSON.stringify(await relay.service.store.db.selectFrom('tokens').selectAll().execute());
    expect(rows).not.toContain(agents.bob.token);
    expect(rows).toMatch(/"hash":"[0-9a-f]{64}"/);
  });

  it('bad scopes, rights, labels and expiries are input errors', async () => {
    const { relay } = await startRelay(['bob']);
    for (const readScopes of [[], ['a/'], ['/a'], ['a//b'], ['a b'], ['a\0'], ['x'.repeat(257)]]) {
      await expect(relay.addAgent({ handle: 'x', readScopes })).rejects.toMatchObject({ code: 'bad_input' });
    }
    for (const options of [
      { rights: [] },
      { label: '' },
      { expiresAt: 1 },
      { expiresAt: 1.5e12 + 0.5 },
      { scopes: [] },
    ]) {
      await expect(relay.service.issueToken('bob', options)).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(await relay.service.listTokens('bob')).toHaveLength(1);
    expect(await relay.service.listAgents()).toHaveLength(1);
  });

  it('actAs finds by id or handle, and no revoked agent', async () => {
    const { relay, agents } = await startRelay(['bob']);
    expect(await relay.service.actAs('bob')).toEqual(await relay.service.actAs(agents.bob.agentId));
    await relay.service.revokeAgent('bob');
    for (const name of ['bob', agents.bob.agentId, 'nobody']) {
      await expect(relay.service.actAs(name)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
