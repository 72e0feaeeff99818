import { describe, expect, it } from 'vitest';
import { Refusal } from './surfaces.ts';
import { SURFACES, seqs, world } from './world.ts';

describe.each(SURFACES)('inbox (%s)', surface => {
  it('S003-07: empty and omitted last_seen give the full history by sequence, in one list', async () => {
    const w = await world(surface);
    await w.fill([{ score: 0.1 }, { score: 0.9 }, 'hidden', ...Array(7).fill('visible')]);
    const all = await w.on.open(w.bob.token, {});
    expect(seqs(all)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10]);
    expect(await w.on.open(w.bob.token, { last_seen: '' })).toEqual(all);
    expect(Object.keys(all)).toEqual(['items']);
  });

  it('S003-06: strictly after last_seen, though the clock stands still or runs backwards', async () => {
    let now = Date.UTC(2026, 5, 27);
    const w = await world(surface, { clock: () => now });
    await w.fill(3);
    now -= 3_600_000;
    await w.fill(3);
    const { items } = await w.on.open(w.bob.token, {});
    const times = items.map(item => item.delivery.delivered_at);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times[0]).toBe('2026-06-27T00:00:00.000000Z');
    expect(times[5]).toBe('2026-06-27T00:00:00.000005Z');
    for (const [i, last_seen] of times.entries()) {
      expect(seqs(await w.on.open(w.bob.token, { last_seen }))).toEqual([1, 2, 3, 4, 5, 6].slice(i + 1));
    }
  });

  it('S003-06: finds the place in a gapped log of many rows', async () => {
    let now = 1_000_000;
    const w = await world(surface, { clock: () => now++ });
    await w.fill(40);
    await w.skipTo(100);
    await w.fill(40);
    const { items } = await w.on.open(w.bob.token, {});
    for (const [i, item] of items.entries()) {
      if (i % 7 !== 0) continue;
      const after = await w.on.open(w.bob.token, { last_seen: item.delivery.delivered_at });
      expect(seqs(after)).toEqual(seqs({ items: items.slice(i + 1) }));
    }
  });

  it('S003-05: any offset is accepted; all else is an input error', async () => {
    const w = await world(surface, { clock: () => Date.UTC(2026, 5, 27, 12) });
    await w.fill(1);
    for (const last_seen of ['2026-06-27T13:59:59.999999+02:00', '2026-06-27T11:59:59Z', '2026-06-26t00:00:00-23:59']) {
      expect((await w.on.open(w.bob.token, { last_seen })).items).toHaveLength(1);
    }
    expect((await w.on.open(w.bob.token, { last_seen: '2026-06-27T14:00:00+02:00' })).items).toEqual([]);
    for (const last_seen of [
      '2026-06-27',
      '2026-06-27T12:00:00',
      'yesterday',
      '1782561600',
      '2026-02-30T00:00:00Z',
      ' ',
    ]) {
      const error = await w.on.open(w.bob.token, { last_seen }).catch((e: unknown) => e);
      expect((error as Refusal).code, last_seen).toBe('bad_input');
      expect(error).toBeInstanceOf(Refusal);
    }
  });

  it('S003-16, -17: writes nothing and replays the same items', async () => {
    const w = await world(surface);
    await w.fill(5);
    const dump = async () => JSON.stringify(await w.service.store.db.selectFrom('inboxes').selectAll().execute());
    const before = await dump();
    const first = await w.on.open(w.bob.token, {});
    expect(await w.on.open(w.bob.token, {})).toEqual(first);
    expect(await dump()).toBe(before);
    expect((await w.pull()).cursor).toBe(0);
  });

  it('S003-11: shows no other agent’s mail, and no hidden row', async () => {
    const w = await world(surface);
    await w.fill(['hidden', { scope: 'team/a' }, { scope: 'teams' }]);
    expect(seqs(await w.on.open(w.bob.token, {}))).toEqual([2]);
    expect((await w.on.open(w.alice.token, {})).items).toEqual([]);
  });

  it('S000-55: expired mail is gone from a replay, later mail is in it', async () => {
    let now = 1_000_000;
    const w = await world(surface, { clock: () => now });
    await w.fill(['visible', { expiresAt: 2_000_000 }]);
    expect(seqs(await w.on.open(w.bob.token, {}))).toEqual([1, 2]);
    now = 2_000_000;
    expect(seqs(await w.on.open(w.bob.token, {}))).toEqual([1]);
    await w.fill(1);
    expect(seqs(await w.on.open(w.bob.token, {}))).toEqual([1, 3]);
  });
});
