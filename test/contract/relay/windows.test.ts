import { describe, expect, it } from 'vitest';
import { brief, SURFACES, seqs, world } from './world.ts';

describe.each(SURFACES)('windows (%s)', surface => {
  it('S000-30: a row is visible at or below a read scope, by whole segments', async () => {
    const w = await world(surface, { maxBatch: 10 });
    await w.fill(['team', 'team/x', 'team/x/y', 'teams', 'Team', 'te', 'x/team', 'direct'].map(scope => ({ scope })));
    expect(seqs(await w.pull())).toEqual([1, 2, 3, 8]);
  });

  it('S000-31, -32: hidden rows end windows, and are passed by window_high alone', async () => {
    const w = await world(surface);
    await w.fill([...Array(8).fill('hidden'), 'visible', 'hidden']);
    expect(brief(await w.pull())).toEqual([[], 0, 4, true]);
    expect(brief(await w.pull({ ack: 4 }))).toEqual([[], 4, 8, true]);
    expect(brief(await w.pull({ ack: 8 }))).toEqual([[9], 8, 10, false]);
    expect(brief(await w.pull({ ack: 10 }))).toEqual([[], 10, 10, false]);
  });

  it('S004-45: an expired row keeps its sequence, counts like a hidden one and shows no body', async () => {
    let now = 1_000_000;
    const w = await world(surface, { clock: () => now });
    await w.fill(['visible', { expiresAt: 1_500_000 }, { expiresAt: 3_000_000 }, 'visible', 'visible']);
    now = 1_500_000;
    expect(brief(await w.pull())).toEqual([[1, 4, 3], 0, 4, true]);
    expect(brief(await w.pull({ since: 1, limit: 1 }))).toEqual([[], 0, 2, true]);
    expect((await w.pull({ ack: 2 })).cursor).toBe(2);
  });

  it('S000-15: 512 KB end the window itself, for the page and the clamp alike; never below one row', async () => {
    const w = await world(surface, { maxBatch: 200 });
    const kb = (n: number) => ({ content: 'é'.repeat(n * 512) });
    await w.fill([kb(200), kb(200), kb(200), kb(600), kb(1), kb(1)]);
    expect(brief(await w.pull())).toEqual([[1, 2], 0, 2, true]);
    expect(brief(await w.pull({ ack: 6 }))).toEqual([[3], 2, 3, true]);
    expect(brief(await w.pull({ ack: 6 }))).toEqual([[4], 3, 4, true]);
    expect(brief(await w.pull({ ack: 6 }))).toEqual([[5, 6], 4, 6, false]);
    expect(brief(await w.pull({ since: 1 }))).toEqual([[2, 3], 4, 3, true]);
    expect(brief(await w.pull({ ack: 6 }))).toEqual([[], 6, 6, false]);
  });

  it('names the row at window_high, hidden or not, and none for an empty window', async () => {
    const w = await world(surface);
    const rows = await w.fill(['visible', 'hidden']);
    const page = await w.pull();
    expect(page.beside.windowRow).toBe(`2:${rows[1]!.deliveryId}`);
    expect(page.beside.epoch).toBe(await w.service.epoch());
    expect(page.beside.ack).toBeUndefined();
    const empty = await w.pull({ ack: 2 });
    expect(empty.beside).toEqual({ epoch: page.beside.epoch, ack: 'applied' });
  });

  it('S000-20, -21: the envelope and the items have exactly the seed’s fields', async () => {
    const w = await world(surface);
    await w.service.send(await w.service.actAs('alice'), {
      recipientAgentId: 'bob',
      kind: 'task',
      body: 'x',
      taskId: 'T',
    });
    const { beside: _, ...page } = await w.pull();
    expect(Object.keys(page)).toEqual(['items', 'cursor', 'window_high', 'has_more']);
    const [item] = page.items;
    expect(Object.keys(item!)).toEqual(['delivery_seq', 'diff', 'delivery']);
    expect(item).toMatchObject({
      delivery_seq: 1,
      diff: {
        op: 'ADD',
        content: 'x',
        origin_agent_id: w.alice.agentId,
        scope: 'direct',
        tags: ['task'],
        metadata: { kind: 'task', from_handle: 'alice', task_id: 'T' },
      },
      delivery: { recipient_agent_id: w.bob.agentId, score: 0.7, energy: 1, hops: 0, via: 'direct' },
    });
    expect(item!.diff.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(item!.delivery.delivered_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Object.keys(item!.diff.metadata)).toEqual([
      'kind',
      'from_handle',
      'message_id',
      'thread_id',
      'task_id',
      'expires_at',
    ]);
  });
});
