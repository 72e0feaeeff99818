import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type Database from 'libsql';
import { PreturnError } from '../../errors.ts';
import { relayFailures } from '../../messages-relay.ts';

type Native = Database.Database;

/** `reader` is asked once: each question crosses into native code. */
interface Prepared {
  readonly statement: Database.Statement;
  readonly reader: boolean;
}

/**
 * Maps one parameter to what libsql binds truthfully. A boolean or a bare object aborts the whole process there,
 * a number binds as REAL, text is lost after NUL (lone surrogates become U+FFFD); so everything passes through here and the rest throws.
 */
export function bindable(value: unknown): bigint | number | string | Uint8Array | null {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value ? 1n : 0n;
    case 'bigint':
      return value;
    case 'number':
      if (Number.isSafeInteger(value)) return BigInt(value);
      if (Number.isFinite(value) && !Number.isInteger(value)) return value;
      throw new PreturnError('internal', `The store cannot keep the number ${value} exactly.`);
    case 'string':
      if (value.includes('\0')) throw relayFailures.nulInText();
      return value;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new PreturnError('internal', `The store cannot keep a value of type ${typeof value}.`);
  }
}

/** A SQLite error as the person who meets it should read it; what is not ours to explain stays as it is. */
function translate(error: unknown, path: string): unknown {
  const code = String((error as { code?: unknown })?.code ?? '');
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return relayFailures.storeBusy(path, error);
  if (/^SQLITE_(FULL|READONLY|CANTOPEN|NOTADB|CORRUPT|IOERR|PERM|AUTH)/.test(code)) {
    return relayFailures.storeUnavailable(path, (error as Error).message, error);
  }
  return error;
}

class Connection implements DatabaseConnection {
  readonly #native: Native;
  readonly #path: string;
  readonly #statements = new Map<string, Prepared>();
  constructor(native: Native, path: string) {
    this.#native = native;
    this.#path = path;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = parameters.map(bindable);
    try {
      const { statement, reader } = this.#prepare(sql);
      if (reader) return { rows: statement.all(values) as R[] };
      const { changes, lastInsertRowid } = statement.run(values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw translate(error, this.#path);
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#native.prepare(sql);
    const prepared = { statement, reader: statement.reader };
    // Statements with literal lists differ each time; they must not grow the cache without bound.
    if (this.#statements.size < 200) this.#statements.set(sql, prepared);
    return prepared;
  }

  exec(sql: string): void {
    try {
      this.#native.exec(sql);
    } catch (error) {
      throw translate(error, this.#path);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new PreturnError('internal', 'The store does not stream.');
  }
}

/** One connection, handed to one user at a time in the order of asking. */
class LibsqlDriver implements Driver {
  readonly #native: Native;
  readonly #connection: Connection;
  #tail: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  constructor(native: Native, path: string) {
    this.#native = native;
    this.#connection = new Connection(native, path);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#tail;
    let release: () => void = () => {};
    this.#tail = new Promise(resolve => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Immediate: a transaction that reads first and upgrades later fails at once when another process wrote. */
  async beginTransaction(_: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#connection.exec(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  async commitTransaction(): Promise<void> {
    this.#connection.exec('commit');
  }

  /** A failed COMMIT or a full disk may have rolled back already; a second rollback would hide the cause. */
  async rollbackTransaction(): Promise<void> {
    if (this.#native.inTransaction) this.#connection.exec('rollback');
  }

  /**
   * libsql really closes only once the garbage collector has taken every statement, so SQLite's own checkpoint on
   * close cannot be relied on. A WAL left behind would be replayed onto whatever file is later put in its place.
   * It never waits: where another process is busy, that one checkpoints.
   */
  async destroy(): Promise<void> {
    try {
      this.#native.prepare('pragma busy_timeout = 0').all();
      this.#native.prepare('pragma wal_checkpoint(truncate)').all();
    } catch {
      // Nothing is lost: the next opener finds the WAL.
    }
    this.#native.close();
  }
}

/** Kysely's migrator has no lock on SQLite; one immediate transaction around it is that lock. */
class LibsqlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export function libsqlDialect(native: Native, path: string): Dialect {
  return {
    createAdapter: () => new LibsqlAdapter(),
    createDriver: () => new LibsqlDriver(native, path),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

export { translate as translateSqliteError };
