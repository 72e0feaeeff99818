import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRelayService, type ServiceOptions } from '../../../src/relay/service.ts';
import { hotStatements } from '../../../src/relay/store/statements.ts';

const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-store-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const open = async (path: string, options: Partial<ServiceOptions> = {}) => {
  const service = await openRelayService({ path, ...options });
  onTestFinished(() => service.close());
  return service;
};

describe('a store file', () => {
  it('is created 0600 in a directory created 0700, its WAL too; a looser file is tightened', async () => {
    const dir = join(folder(), 'a', 'b');
    const path = join(dir, 'relay.db');
    const service = await open(path);
    await service.addAgent({ handle: 'bob' });
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect([mode(dir), mode(join(dir, '..')), mode(path), mode(`${path}-wal`), mode(`${path}-shm`)]).toEqual([
      '700',
      '700',
      '600',
      '600',
      '600',
    ]);
    await service.close();
    chmodSync(path, 0o644);
    await open(path);
    expect(mode(path)).toBe('600');
  });

  it('is durable: WAL with synchronous full', async () => {
    const { store } = await open(join(folder(), 'relay.db'));
    const pragma = async (name: string) => (await sql`pragma ${sql.raw(name)}`.execute(store.db)).rows[0];
    expect(await pragma('journal_mode')).toMatchObject({ journal_mode: 'wal' });
    expect(await pragma('synchronous')).toMatchObject({ synchronous: 2 });
  });

  it('written by a newer preturn is refused, and left as it is', async () => {
    const path = join(folder(), 'relay.db');
    const service = await open(path);
    await service.store.db.updateTable('meta').set({ value: '999' }).where('key', '=', 'schema').execute();
    await service.close();
    const bytes = readFileSync(path);
    await expect(openRelayService({ path })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('newer'),
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('that is no database, a directory, missing or unwritable is a clear error', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'text.db'), 'this is not a database, whatever its name may say. '.repeat(100));
    mkdirSync(join(dir, 'folder.db'));
    for (const [name, options] of [
      ['text.db', {}],
      ['folder.db', {}],
      ['missing.db', { create: false }],
      ['nowhere/missing.db', { create: false }],
      ['text.db/x.db', {}],
    ] as const) {
      await expect(openRelayService({ path: join(dir, name), ...options }), name).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(join(dir, name)),
        hint: expect.any(String),
      });
    }
  });

  it('when current opens by one read, without the migrator', async () => {
    const path = join(folder(), 'relay.db');
    const service = await open(path);
    await sql`drop table kysely_migration`.execute(service.store.db);
    await service.close();
    const again = await open(path);
    const tables = await again.store.db.introspection.getTables({ withInternalKyselyTables: true });
    expect(tables.map(t => t.name)).not.toContain('kysely_migration');
  });

  it('locked by another writer is busy, and says so; readers are not held up', async () => {
    const path = join(folder(), 'relay.db');
    const writer = await open(path);
    await writer.addAgent({ handle: 'bob' });
    const other = await open(path, { busyTimeoutMs: 20 });
    const bob = await other.actAs('bob');
    await writer.store.write(async tx => {
      await tx.updateTable('inboxes').set({ pulled_at: 1 }).execute();
      await expect(other.deliver({ recipient: 'bob', content: 'x' })).rejects.toMatchObject({ code: 'busy' });
      await expect(other.pull(bob, { ack: 0 })).rejects.toMatchObject({ code: 'busy' });
      expect((await other.pull(bob)).itemsJson).toEqual([]);
    });
    // The store is usable again: a refused transaction left nothing open.
    expect((await other.deliver({ recipient: 'bob', content: 'x' })).seq).toBe(1);
  });

  it('a bare pull that finds nothing changes not one byte or time of it', async () => {
    const path = join(folder(), 'relay.db');
    const service = await open(path);
    await service.addAgent({ handle: 'bob' });
    await service.deliver({ recipient: 'bob', content: 'x' });
    await service.pull(await service.actAs('bob'), { ack: 1 });
    await service.close();
    const stamp = () => {
      const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
      return [mtimeNs, ctimeNs, size, ino].join();
    };
    const before = stamp();
    const again = await open(path);
    const bob = await again.actAs('bob');
    for (let i = 0; i < 3; i++) expect((await again.pull(bob)).itemsJson).toEqual([]);
    await again.open(bob);
    expect(stamp()).toBe(before);
    expect(statSync(`${path}-wal`).size).toBe(0);
    await again.close();
    expect(stamp()).toBe(before);
  });

  it('after close holds everything itself: a copy of the one file is whole', async () => {
    const path = join(folder(), 'relay.db');
    const service = await open(path);
    await service.addAgent({ handle: 'bob' });
    await service.deliver({ recipient: 'bob', content: 'x' });
    await service.close();
    const copy = join(folder(), 'copy.db');
    writeFileSync(copy, readFileSync(path));
    const restored = await open(copy);
    expect((await restored.pull(await restored.actAs('bob'))).itemsJson).toHaveLength(1);
  });
});

describe('several processes on one store', () => {
  let worker = '';
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'preturn-worker-'));
    worker = join(dir, 'worker.cjs');
    await build({
      entryPoints: [resolve('test/contract/relay/worker.ts')],
      outfile: worker,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['libsql'],
      logLevel: 'error',
    });
    return () => rmSync(dir, { recursive: true, force: true });
  });

  const run = async (...args: string[]): Promise<unknown> => {
    const env = { ...process.env, NODE_PATH: resolve('node_modules') };
    const { stdout } = await promisify(execFile)(process.execPath, [worker, ...args], { env });
    return JSON.parse(stdout);
  };

  it('three first openers make one store', async () => {
    const path = join(folder(), 'relay.db');
    const epochs = await Promise.all([1, 2, 3].map(() => run(path, 'open')));
    expect(new Set(epochs).size).toBe(1);
    const { store } = await open(path);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(store.db);
    expect(rows.map(r => r.name)).toEqual(['0001_delivery_log']);
  });

  it('two append while a third drains: dense, nothing lost, nothing below a window_high already acked', async () => {
    const path = join(folder(), 'relay.db');
    const service = await open(path);
    for (const handle of ['bob', 'alice', 'carol']) await service.addAgent({ handle });
    const each = 150;
    const [, , seen] = await Promise.all([
      run(path, 'append', 'alice', `${each}`),
      run(path, 'append', 'carol', `${each}`),
      run(path, 'drain', 'bob', `${2 * each}`),
    ]);
    expect([...(seen as number[])].sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * each }, (_, i) => i + 1));
    const all = await service.open(await service.actAs('bob'));
    const bodies = all.itemsJson.map(json => JSON.parse(json).diff.content);
    expect(new Set(bodies).size).toBe(2 * each);
    const times = all.itemsJson.map(json => JSON.parse(json).delivery.delivered_at);
    expect(times).toEqual([...new Set(times)].sort());
  });
});

describe('statements', () => {
  it('each hot one is a range over one inbox, or a look-up by key; none scans or sorts', async () => {
    const { store } = await open(':memory:');
    const plan = async (query: string) => {
      const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${query}`).execute(store.db);
      return rows.map(row => row.detail).join(' | ');
    };
    const plans = new Map<string, string>();
    for (const [name, statement] of Object.entries(hotStatements(store.db))) {
      plans.set(name, await plan(statement.sql));
    }
    for (const [name, text] of plans) {
      // `windowTop` scans the rows of its own bounded window.
      expect(text.replace(/SCAN examined/, ''), name).not.toMatch(/SCAN|TEMP B-TREE/);
      if (name !== 'append') expect(text, name).toMatch(/SEARCH/);
    }
    const clustered = 'SEARCH deliveries USING PRIMARY KEY (inbox=? AND seq>?)';
    expect(plans.get('window')).toContain(clustered);
    expect(plans.get('windowTop')).toContain(clustered);
    expect(plans.get('token')).toMatch(/SEARCH tokens USING INDEX \S+ \(hash=\?\)/);
  });
});
