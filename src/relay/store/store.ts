import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** What the service layer needs of a database. A driver is one file that returns one literal. */
export interface Store {
  /** For single statements outside a transaction. Never use it inside `read` or `write`: SQLite would deadlock. */
  readonly db: Db;
  /** Short consistent read; takes no write lock and writes nothing. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Short write transaction, serialised with all others on the rows it locks (on SQLite: with all others). */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
