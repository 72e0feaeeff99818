import { describe, expect, it } from 'vitest';
import { Refusal } from './surfaces.ts';
import { SURFACES, type SurfaceName, seqs, type World, world } from './world.ts';

const mail = { recipientAgentId: 'bob', kind: 'update', body: 'hello' };
const WEEK = 604_800_000;

const refusal = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refusal);
  return (error as Refusal).code;
};

const sendOn = (w: World) => (args: object) => w.on.send(w.alice.token, { ...mail, ...args });

describe.each(SURFACES)('inbox_send (%s)', surface => {
  it('S004-27: answers 201 with the stored row, and the recipient hears it by pull_inbox', async () => {
    const w = await world(surface, { clock: () => Date.UTC(2026, 8, 4, 15, 2, 11, 999) });
    const sent = await sendOn(w)({ recipientAgentId: w.bob.agentId, kind: 'handoff', taskId: 'PROJ-482' });
    expect(sent).toEqual({
      status: 201,
      duplicate: false,
      message: {
        messageId: sent.message.messageId,
        senderAgentId: w.alice.agentId,
        recipientAgentId: w.bob.agentId,
        threadId: sent.message.messageId,
        kind: 'handoff',
        body: 'hello',
        createdAt: '2026-09-04T15:02:11Z',
        expiresAt: '2026-09-11T15:02:11Z',
        taskId: 'PROJ-482',
      },
    });
    const [item] = (await w.pull()).items;
    expect(item!.diff.metadata).toEqual({
      kind: 'handoff',
      from_handle: 'alice',
      message_id: sent.message.messageId,
      thread_id: sent.message.messageId,
      task_id: 'PROJ-482',
      expires_at: '2026-09-11T15:02:11.999Z',
    });
  });

  it('S000-24: the score follows from the kind alone', async () => {
    const w = await world(surface, { maxBatch: 10 });
    for (const kind of ['task', 'update', 'question', 'decision', 'handoff', 'ack']) await sendOn(w)({ kind });
    const { items } = await w.pull();
    expect(items.map(i => [i.diff.metadata.kind, i.delivery.score])).toEqual([
      ['question', 0.8],
      ['decision', 0.8],
      ['handoff', 0.8],
      ['task', 0.7],
      ['update', 0.4],
      ['ack', 0.2],
    ]);
  });

  it('S004-28, -29: the same messageId gives the original, whatever else differs, and delivers once', async () => {
    const w = await world(surface);
    const first = await sendOn(w)({ messageId: 'm-1' });
    const again = await sendOn(w)({ messageId: 'm-1', body: 'other', kind: 'task', recipientAgentId: 'nobody' });
    expect(again).toEqual({ status: 200, duplicate: true, message: first.message });
    expect((await w.pull()).items).toHaveLength(1);
  });

  it('S004-23: equal ids of two senders are two messages', async () => {
    const w = await world(surface);
    await sendOn(w)({ messageId: 'same' });
    const other = await w.on.send(w.bob.token, { ...mail, messageId: 'same' });
    expect(other.duplicate).toBe(false);
    expect((await w.pull()).items).toHaveLength(2);
  });

  it('S004-55: twenty concurrent sends of one messageId deliver once', async () => {
    const w = await world(surface);
    const sent = await Promise.all(Array.from({ length: 20 }, () => sendOn(w)({ messageId: 'once' })));
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(sent.map(({ message }) => JSON.stringify(message))).size).toBe(1);
    expect(seqs(await w.pull())).toEqual([1]);
  });

  it('ais 9: once purged or expired, an id is new', async () => {
    let now = 1_000_000;
    const w = await world(surface, { clock: () => now });
    await sendOn(w)({ messageId: 'm', ttlSeconds: 300 });
    now += 299_999;
    expect((await sendOn(w)({ messageId: 'm' })).duplicate).toBe(true);
    now += 1;
    expect((await sendOn(w)({ messageId: 'm', body: 'second' })).status).toBe(201);
    const page = await w.pull();
    expect(page.items.map(i => [i.delivery_seq, i.diff.content])).toEqual([[2, 'second']]);
    expect(page.window_high).toBe(2);
  });

  it('ais 11: unknown, inactive and other-tenant recipients are one indistinguishable error', async () => {
    const w = await world(surface);
    await w.service.addAgent({ handle: 'gone' });
    const gone = await w.service.revokeAgent('gone');
    const other = await w.service.addAgent({ handle: 'foreign', tenant: 'elsewhere' });
    const messages = new Set<string>();
    for (const recipientAgentId of ['nobody', 'gone', gone.agentId, other.agentId, 'foreign', crypto.randomUUID()]) {
      const error = await sendOn(w)({ recipientAgentId }).catch((e: Refusal) => e);
      expect((error as Refusal).code).toBe('recipient_not_found');
      messages.add((error as Refusal).message);
    }
    expect(messages.size).toBe(1);
  });

  it('S004-42, -43, -44: a TTL outside 300 to 604,800 s is an error, not clamped', async () => {
    const w = await world(surface, { clock: () => 0 });
    for (const ttlSeconds of [0, -1, 299, 604_801, 300.5, '300', null]) {
      expect(await refusal(sendOn(w)({ ttlSeconds }))).toBe('bad_input');
    }
    for (const [ttlSeconds, expiresAt] of [
      [300, '1970-01-01T00:05:00Z'],
      [604_800, '1970-01-08T00:00:00Z'],
      [undefined, '1970-01-08T00:00:00Z'],
    ] as const) {
      expect((await sendOn(w)(ttlSeconds === undefined ? {} : { ttlSeconds })).message.expiresAt).toBe(expiresAt);
    }
  });

  it('S004-17: the body has 1 to 8,000 UTF-16 units', async () => {
    const w = await world(surface);
    expect(await refusal(sendOn(w)({ body: '' }))).toBe('bad_input');
    expect(await refusal(sendOn(w)({ body: 'x'.repeat(8001) }))).toBe('bad_input');
    // An emoji is two units: 4,001 of them are one unit too many.
    expect(await refusal(sendOn(w)({ body: '\u{1F600}'.repeat(4001) }))).toBe('bad_input');
    const body = '\u{1F600}'.repeat(4000);
    expect((await sendOn(w)({ body })).message.body).toBe(body);
    expect((await w.pull()).items[0]!.diff.content).toBe(body);
  });

  it('bad kinds, ids and missing fields are input errors and store nothing', async () => {
    const w = await world(surface);
    for (const bad of [
      { kind: 'gossip' },
      { messageId: '' },
      { messageId: 'x'.repeat(129) },
      { messageId: 'mit Leerzeichen' },
      { messageId: 'ü' },
      { threadId: '\n' },
      { taskId: '' },
      { taskId: 'x'.repeat(129) },
      { body: 'a\0b' },
      { taskId: 'a\0b' },
    ]) {
      expect(await refusal(sendOn(w)(bad)), JSON.stringify(bad)).toBe('bad_input');
    }
    expect((await w.pull()).window_high).toBe(0);
  });

  it('lone surrogates become U+FFFD in the answer, the item and the duplicate alike', async () => {
    const w = await world(surface);
    const first = await sendOn(w)({ body: 'a\ud800b', messageId: 'm' });
    expect(first.message.body).toBe('a\ufffdb');
    expect((await sendOn(w)({ messageId: 'm' })).message).toEqual(first.message);
    expect((await w.pull()).items[0]!.diff.content).toBe('a\ufffdb');
  });

  it('ais 13: a reply inherits the thread of a parent it can see; unknown parents start a new one', async () => {
    const w = await world(surface);
    const question = await sendOn(w)({ kind: 'question' });
    const { messageId, threadId } = question.message as { messageId: string; threadId: string };
    const bobs = (args: object) => w.on.send(w.bob.token, { ...mail, recipientAgentId: 'alice', ...args });
    const reply = await bobs({ inReplyTo: messageId });
    expect(reply.message).toMatchObject({ threadId, inReplyTo: messageId });
    expect((await bobs({ inReplyTo: reply.message.messageId! })).message.threadId).toBe(threadId);
    expect((await bobs({ inReplyTo: messageId, threadId: 'mine' })).message.threadId).toBe('mine');
    const orphan = await bobs({ inReplyTo: 'unknown' });
    expect(orphan.message).toMatchObject({ threadId: orphan.message.messageId!, inReplyTo: 'unknown' });
    const carol = await w.service.addAgent({ handle: 'carol' });
    const outsider = await w.on.send(carol.token, { ...mail, inReplyTo: messageId });
    expect(outsider.message.threadId).toBe(outsider.message.messageId);
  });

  it('S004-14: an agent may write to itself', async () => {
    const w = await world(surface);
    expect((await w.on.send(w.bob.token, mail)).status).toBe(201);
    expect((await w.pull()).items).toHaveLength(1);
  });

  it('whoami and list_agents', async () => {
    const w = await world(surface);
    await w.fill(3);
    expect(await w.on.whoami(w.bob.token)).toEqual({
      agentId: w.bob.agentId,
      tenantId: 'default',
      status: 'active',
      handle: 'bob',
    });
    await w.service.addAgent({ handle: 'elsewhere', tenant: 'other' });
    const { agents } = await w.on.peers(w.alice.token);
    expect(agents.map(a => [a.handle, a.agentId, a.status, a.pending, a.lastPulledAt])).toEqual([
      ['alice', w.alice.agentId, 'active', 0, null],
      ['bob', w.bob.agentId, 'active', 3, null],
    ]);
    await w.pull({ ack: 2 });
    const bob = (await w.on.peers(w.alice.token)).agents.find(a => a.handle === 'bob');
    expect(bob).toMatchObject({ pending: 1 });
    expect(bob!.lastPulledAt).not.toBeNull();
  });
});

/** Rules of the service behind every surface; filling an inbox once is enough. */
describe('capacity of inbox_send', () => {
  const setUp = async (clock?: () => number) => {
    const w = await world('in-process' as SurfaceName, { maxBatch: 1000, windowBytes: 1e9, ...(clock && { clock }) });
    const fill = async (from: string, count: number) => {
      const sender = await w.service.actAs(from);
      for (let i = 0; i < count; i++) {
        await w.service.send(sender, { recipientAgentId: 'bob', kind: 'ack', body: `${i}` });
      }
    };
    return { w, fill };
  };

  it('S004-53, -54: 500 undelivered of one sender are the limit; what the cursor passed is delivered', async () => {
    const { w, fill } = await setUp();
    await fill('alice', 500);
    expect(await refusal(sendOn(w)({}))).toBe('pair_limit_exceeded');
    expect((await w.on.send(w.bob.token, mail)).status).toBe(201);
    await w.pull({ ack: 1, limit: 1000 });
    expect((await sendOn(w)({})).status).toBe(201);
    expect(await refusal(sendOn(w)({}))).toBe('pair_limit_exceeded');
  });

  it('ais 9: the duplicate check comes before the capacity check', async () => {
    const { w, fill } = await setUp();
    await sendOn(w)({ messageId: 'first' });
    await fill('alice', 499);
    expect((await sendOn(w)({ messageId: 'first' })).status).toBe(200);
  });

  it('S004-52: 2,000 undelivered of all senders are the limit; other toolsets’ deliveries do not count', async () => {
    const { w, fill } = await setUp();
    await w.fill(600);
    for (const handle of ['s1', 's2', 's3', 's4']) {
      await w.service.addAgent({ handle });
      await fill(handle, 500);
    }
    expect(await refusal(sendOn(w)({}))).toBe('recipient_inbox_full');
    // The 600 come first: acking them frees nothing.
    await w.pull({ ack: 600, limit: 1000 });
    expect(await refusal(sendOn(w)({}))).toBe('recipient_inbox_full');
    await w.pull({ ack: 601, limit: 1000 });
    expect((await sendOn(w)({})).status).toBe(201);
    // A full inbox takes bridged deliveries all the same.
    expect((await w.fill(1))[0]!.seq).toBe(2602);
  });

  it('S004-52: expired messages are not undelivered, and are cleared in bounded steps', async () => {
    let now = 0;
    const { w, fill } = await setUp(() => now);
    await fill('alice', 500);
    now = WEEK;
    expect((await sendOn(w)({})).status).toBe(201);
    const left = async () => {
      const { db } = w.service.store;
      const rows = await db
        .selectFrom('deliveries')
        .where('item', 'is not', null)
        .select('seq')
        .orderBy('seq')
        .execute();
      const messages = await db.selectFrom('messages').select('seq').orderBy('seq').execute();
      expect(messages.map(m => m.seq)).toEqual(rows.map(r => r.seq));
      return rows.length;
    };
    expect(await left()).toBe(500 - 32 + 1);
    for (let i = 0; i < 20; i++) await sendOn(w)({});
    expect(await left()).toBe(21);
    expect(seqs(await w.pull({ limit: 1000 }))).toEqual(Array.from({ length: 21 }, (_, i) => 501 + i));
  });
});
