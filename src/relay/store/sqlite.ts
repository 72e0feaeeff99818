import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Kysely } from 'kysely';
import Database from 'libsql';
import { relayFailures } from '../../messages-relay.ts';
import { ensureSchema } from './migrations.ts';
import type { Schema } from './schema.ts';
import { libsqlDialect, translateSqliteError } from './sqlite-driver.ts';
import type { Store } from './store.ts';

export interface SqliteOptions {
  /** A file that several processes of one user share, or `:memory:`, private to this handle. */
  readonly path: string;
  /** How long a statement waits for another process's write lock, ms. The wait blocks the event loop. */
  readonly busyTimeoutMs: number;
  /** Create a missing file; otherwise it is `store_unavailable`. */
  readonly create: boolean;
}

/**
 * Opens the store, creating or migrating it when needed. An up-to-date file costs one read beyond the pragmas.
 * Throws `store_unavailable` (not a database, newer schema, unwritable) or `busy`.
 */
export async function openSqlite({ path: given, busyTimeoutMs, create }: SqliteOptions): Promise<Store> {
  const memory = given === ':memory:';
  // Absolute, because libsql takes a path that looks like a URL for a remote database.
  const path = memory ? given : resolve(given);
  if (!memory) secureFile(path, create);
  const native = openNative(path, busyTimeoutMs, memory);
  const db = new Kysely<Schema>({ dialect: libsqlDialect(native, path) });
  try {
    await ensureSchema(db, 'sqlite', path);
  } catch (error) {
    native.close();
    throw error;
  }
  return {
    db,
    read: work => db.transaction().setAccessMode('read only').execute(work),
    write: work => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

/**
 * The file holds everyone's mail: created 0600 in a directory created 0700, tightened when it is looser.
 * SQLite gives `-wal` and `-shm` the mode of the database file.
 */
function secureFile(path: string, create: boolean): void {
  try {
    if (create) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, constants.O_RDWR | (create ? constants.O_CREAT : 0), 0o600);
    try {
      const { mode, uid } = fstatSync(fd);
      if (process.platform !== 'win32' && (mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, 0o600);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw relayFailures.storeUnavailable(path, (error as Error).message, error);
  }
}

function openNative(path: string, busyTimeoutMs: number, memory: boolean): Database.Database {
  let native: Database.Database | undefined;
  try {
    native = new Database(path);
    native.prepare(`pragma busy_timeout = ${Math.max(0, Math.trunc(busyTimeoutMs))}`).all();
    // New files only. An item of 1 to 2 KB then stands in its row, not in an overflow page: pulls take half the time,
    // appends, which wait for the disk, the same.
    native.exec('pragma page_size = 8192');
    if (!memory) {
      useWal(native, busyTimeoutMs);
      native.exec('pragma synchronous = full');
    }
    return native;
  } catch (error) {
    native?.close();
    throw translateSqliteError(error, path);
  }
}

/**
 * WAL is a property of the file; only the first opener switches it. SQLite does not wait for a lock here,
 * so two first openers need a retry of our own.
 */
function useWal(native: Database.Database, busyTimeoutMs: number): void {
  const until = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      native.prepare('pragma journal_mode = wal').all();
      return;
    } catch (error) {
      if (!/SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: unknown }).code)) || Date.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
