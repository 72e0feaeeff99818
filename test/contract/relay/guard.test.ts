import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRelayService } from '../../../src/relay/service.ts';
import { brief, SURFACES, seqs, world } from './world.ts';

const rowOf = (text: string | undefined) => {
  const [seq, id] = text!.split(':');
  return { seq: Number(seq), id: id! };
};

describe.each(SURFACES)('the ack guard (%s)', surface => {
  const setUp = async (rows: Parameters<Awaited<ReturnType<typeof world>>['fill']>[0]) => {
    const w = await world(surface);
    const delivered = await w.fill(rows);
    const guarded = (args: object, guard: object) => w.on.pull(w.bob.token, args, guard);
    return { w, delivered, guarded, epoch: await w.service.epoch() };
  };

  it('an ack of the same epoch and row is applied', async () => {
    const { w, guarded, epoch } = await setUp(12);
    const page = await w.pull();
    const acked = await guarded({ ack: 4 }, { epoch, row: rowOf(page.beside.windowRow) });
    expect(brief(acked)).toEqual([[5, 6, 7, 8], 4, 8, true]);
    expect(acked.beside.ack).toBe('applied');
  });

  it('an ack of another epoch is ignored, said so, and the page is still read', async () => {
    const { w, guarded, epoch } = await setUp(12);
    const fresh = await w.service.newEpoch();
    expect(fresh).not.toBe(epoch);
    const page = await guarded({ ack: 4 }, { epoch });
    expect(brief(page)).toEqual([[1, 2, 3, 4], 0, 4, true]);
    expect(page.beside).toMatchObject({ ack: 'ignored-epoch', epoch: fresh });
    expect((await guarded({ ack: 4 }, { epoch: fresh })).cursor).toBe(4);
  });

  it('an ack whose row is another, or does not exist, is ignored', async () => {
    const { delivered, guarded } = await setUp(6);
    for (const row of [
      { seq: 4, id: delivered[2]!.deliveryId },
      { seq: 99, id: delivered[3]!.deliveryId },
    ]) {
      const page = await guarded({ ack: 99 }, { row });
      expect(page.cursor).toBe(0);
      expect(page.beside.ack).toBe('ignored-row');
    }
  });

  it('above the known row an ack passes only rows that the agent cannot see', async () => {
    const { delivered, guarded } = await setUp(['visible', 'hidden', 'hidden', 'visible', 'hidden']);
    const row = { seq: 1, id: delivered[0]!.deliveryId };
    expect((await guarded({ ack: 5 }, { row })).cursor).toBe(3);
    expect((await guarded({ ack: 3 }, { row })).cursor).toBe(3);
    expect((await guarded({ ack: 5 }, { row: { seq: 4, id: delivered[3]!.deliveryId } })).cursor).toBe(5);
  });

  it('expired rows and tombstones are passed too; the clamp still holds', async () => {
    let now = 1000;
    const w = await world(surface, { clock: () => now });
    const row = (await w.fill(['visible', ...Array(5).fill({ expiresAt: 2000 }), 'visible']))[0]!;
    now = 2000;
    const guard = { row: { seq: 1, id: row.deliveryId } };
    expect((await w.on.pull(w.bob.token, { ack: 7 }, guard)).cursor).toBe(4);
    // A send clears what has expired: tombstones keep their ids and sequences.
    await w.service.send(await w.service.actAs('alice'), { recipientAgentId: 'bob', kind: 'ack', body: 'x' });
    expect((await w.on.pull(w.bob.token, { ack: 7 }, guard)).cursor).toBe(6);
  });

  it('rows at or below the cursor are acknowledged already and do not stop it', async () => {
    const { w, delivered, guarded } = await setUp(['visible', 'visible', 'visible', 'hidden']);
    await w.pull({ ack: 3 });
    expect((await guarded({ ack: 4 }, { row: { seq: 1, id: delivered[0]!.deliveryId } })).cursor).toBe(4);
  });

  it('a row above the ack is an input error, and changes nothing', async () => {
    const { w, delivered, guarded } = await setUp(4);
    const row = { seq: 4, id: delivered[3]!.deliveryId };
    await expect(guarded({ ack: 3 }, { row })).rejects.toMatchObject({ code: 'bad_input' });
    expect((await w.pull()).cursor).toBe(0);
  });
});

it('an old backup restored by file copy: rows that the client never saw are not acknowledged', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-guard-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'relay.db');
  const open = () => openRelayService({ path, maxBatch: 50 });
  const send = (service: Awaited<ReturnType<typeof open>>, from: number, to: number, text: string) =>
    service.deliverAll(
      Array.from({ length: to - from + 1 }, (_, i) => ({ recipient: 'bob', content: `${text} ${from + i}` })),
    );

  const before = await open();
  await before.addAgent({ handle: 'bob' });
  await send(before, 1, 5, 'common');
  await before.close();
  copyFileSync(path, join(dir, 'backup.db'));

  const lost = await open();
  await send(lost, 6, 10, 'lost');
  const bob = await lost.actAs('bob');
  const seen = await lost.pull(bob);
  expect(seen.windowRow?.seq).toBe(10);
  const fifth = (await lost.pull(bob, { limit: 5 })).windowRow!;
  await lost.close();
  copyFileSync(join(dir, 'backup.db'), path);

  const restored = await open();
  onTestFinished(() => restored.close());
  await send(restored, 6, 12, 'new');
  // The epoch is the same: only the rows tell that this is another history.
  const page = await restored.pull(bob, { ack: 10 }, { epoch: seen.epoch, row: seen.windowRow });
  expect(page.ack).toBe('ignored-row');
  expect(page.cursor).toBe(0);
  const common = await restored.pull(bob, { ack: 10 }, { epoch: seen.epoch, row: fifth });
  expect(common.ack).toBe('applied');
  expect(common.cursor).toBe(5);
  const left = common.itemsJson.map(json => JSON.parse(json));
  expect(seqs({ items: left })).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(left.every(item => item.diff.content.startsWith('new'))).toBe(true);
});
