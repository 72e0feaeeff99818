import { Kysely, sql } from 'kysely';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bindable, libsqlDialect } from '../../../src/relay/store/sqlite-driver.ts';

const database = () => {
  const db = new Kysely<{ t: { v: unknown } }>({ dialect: libsqlDialect(new Database(':memory:'), ':memory:') });
  onTestFinished(() => db.destroy());
  return db;
};

const roundTrip = async (value: unknown, column = '') => {
  const db = database();
  await sql`create table t (v ${sql.raw(column)})`.execute(db);
  // Not by the builder: it leaves out a column whose value is undefined.
  await sql`insert into t values (${value})`.execute(db);
  const { rows } = await sql<{ v: unknown; kind: string }>`select v, typeof(v) as kind from t`.execute(db);
  return rows[0];
};

describe('the libsql driver', () => {
  it.each([
    [true, 1, 'integer'],
    [false, 0, 'integer'],
    [42, 42, 'integer'],
    [-0, 0, 'integer'],
    [0.5, 0.5, 'real'],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'integer'],
    [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 'integer'],
    [7n, 7, 'integer'],
    ['', '', 'text'],
    ['😀 “x”', '😀 “x”', 'text'],
    ['lone \ud800', 'lone \ufffd', 'text'],
    [null, null, 'null'],
    [undefined, null, 'null'],
  ])('keeps %s as it is', async (value, read, kind) => {
    expect(await roundTrip(value)).toEqual({ v: read, kind });
  });

  it('keeps a whole number a number in a floating-point column', async () => {
    expect(await roundTrip(1, 'double precision')).toEqual({ v: 1, kind: 'real' });
  });

  it('keeps bytes', async () => {
    const row = await roundTrip(new Uint8Array([0, 255, 1]));
    // libsql gives bytes back as an ArrayBuffer.
    expect([...new Uint8Array(row!.v as ArrayBuffer)]).toEqual([0, 255, 1]);
  });

  it.each([
    ['NUL', 'a\0b', 'bad_input'],
    ['an unsafe integer', 2 ** 53, 'internal'],
    ['NaN', Number.NaN, 'internal'],
    ['infinity', Number.POSITIVE_INFINITY, 'internal'],
    ['an object', { a: 1 }, 'internal'],
    ['a date', new Date(0), 'internal'],
    ['an array', [1], 'internal'],
    ['a symbol', Symbol('x'), 'internal'],
    ['a function', () => 1, 'internal'],
  ])('refuses %s instead of ending the process', async (_, value, code) => {
    expect(() => bindable(value)).toThrow(expect.objectContaining({ code }));
    const db = database();
    // Through the driver too, as a filter's value.
    await expect(db.executeQuery({ ...sql`select ${1}`.compile(db), parameters: [value] })).rejects.toMatchObject({
      code,
    });
  });

  it('serves a hundred concurrent transactions one after the other', async () => {
    const db = database();
    await sql`create table t (v integer)`.execute(db);
    await db.insertInto('t').values({ v: 0 }).execute();
    await Promise.all(
      Array.from({ length: 100 }, () =>
        db.transaction().execute(async tx => {
          const { v } = await tx.selectFrom('t').select('v').executeTakeFirstOrThrow();
          await new Promise(resolve => setImmediate(resolve));
          await tx
            .updateTable('t')
            .set({ v: (v as number) + 1 })
            .execute();
        }),
      ),
    );
    expect(await db.selectFrom('t').select('v').execute()).toEqual([{ v: 100 }]);
  });

  it('rolls back what throws, and goes on', async () => {
    const db = database();
    await sql`create table t (v integer)`.execute(db);
    const failing = db.transaction().execute(async tx => {
      await tx.insertInto('t').values({ v: 1 }).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const broken = db.transaction().execute(async tx => {
      await tx.insertInto('t').values({ v: 1 }).execute();
      await sql`select * from missing`.execute(tx);
    });
    await expect(broken).rejects.toThrow(/no such table/);
    expect(await db.selectFrom('t').selectAll().execute()).toEqual([]);
  });
});
