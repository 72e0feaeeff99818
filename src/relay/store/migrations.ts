import { randomBytes } from 'node:crypto';
import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { relayFailures } from '../../messages-relay.ts';
import type { Schema } from './schema.ts';

export type Database = 'sqlite' | 'postgres';

/** Version of the newest migration below. */
export const SCHEMA_VERSION = 1;

/** A new identity for an incarnation of the store: 96 random bits in hex. */
export function mintEpoch(): string {
  return randomBytes(12).toString('hex');
}

/** Forward only. A migration ends by writing its number to `meta.schema`. */
function migrations(database: Database): Record<string, Migration> {
  return {
    '0001_delivery_log': { up: db => deliveryLog(db, database) },
  };
}

/**
 * One cheap read when the store is current; otherwise runs the missing migrations in one transaction.
 * Throws `store_unavailable` when a newer preturn has written the store.
 */
export async function ensureSchema(db: Kysely<Schema>, database: Database, name: string): Promise<void> {
  const version = await schemaVersion(db, database);
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw relayFailures.storeNewer(name, version, SCHEMA_VERSION);
  const provider = { getMigrations: async () => migrations(database) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error === undefined) return;
  // A newer preturn may have created the store between our read and the migrator's.
  const now = await schemaVersion(db, database);
  if (now > SCHEMA_VERSION) throw relayFailures.storeNewer(name, now, SCHEMA_VERSION);
  throw error;
}

async function schemaVersion(db: Kysely<Schema>, database: Database): Promise<number> {
  try {
    const row = await db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
    return Number(row?.value ?? 0);
  } catch (error) {
    const missing = database === 'sqlite' ? /no such table: meta/ : /relation "meta" does not exist/;
    if (error instanceof Error && missing.test(error.message)) return 0;
    throw error;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a migration describes its own version of the schema, not today's types
async function deliveryLog(db: Kysely<any>, database: Database): Promise<void> {
  const clustered = database === 'sqlite' ? sql`without rowid` : sql``;
  await db.schema
    .createTable('meta')
    .addColumn('key', 'text', c => c.primaryKey())
    .addColumn('value', 'text', c => c.notNull())
    .execute();
  await db.schema
    .createTable('agents')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('tenant', 'text', c => c.notNull())
    .addColumn('handle', 'text', c => c.notNull())
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('read_scopes', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addUniqueConstraint('agents_handle', ['tenant', 'handle'])
    .execute();
  await db.schema
    .createTable('inboxes')
    .addColumn('id', database === 'sqlite' ? 'integer' : 'bigserial', c =>
      database === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey(),
    )
    .addColumn('agent_id', 'text', c => c.notNull().unique())
    .addColumn('head', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('head_bytes', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('cursor', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('last_delivered_us', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('pulled_at', 'bigint')
    .execute();
  await db.schema
    .createTable('deliveries')
    .addColumn('inbox', 'bigint', c => c.notNull())
    .addColumn('seq', 'bigint', c => c.notNull())
    .addColumn('delivery_id', 'text', c => c.notNull())
    .addColumn('scope', 'text', c => c.notNull())
    .addColumn('score', 'double precision', c => c.notNull())
    .addColumn('delivered_us', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('bytes_through', 'bigint', c => c.notNull())
    .addColumn('tokens', 'bigint')
    .addColumn('item', 'text')
    .addPrimaryKeyConstraint('deliveries_pk', ['inbox', 'seq'])
    .modifyEnd(clustered)
    .execute();
  // What the lazy purge looks for; a tombstone leaves the index.
  await db.schema
    .createIndex('deliveries_expiry')
    .on('deliveries')
    .columns(['inbox', 'expires_at'])
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('hash', 'text', c => c.notNull().unique())
    .addColumn('agent_id', 'text', c => c.notNull())
    .addColumn('rights', 'text', c => c.notNull())
    .addColumn('scopes', 'text')
    .addColumn('label', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('tokens_agent').on('tokens').column('agent_id').execute();
  await db.schema
    .createTable('messages')
    .addColumn('inbox', 'bigint', c => c.notNull())
    .addColumn('seq', 'bigint', c => c.notNull())
    .addColumn('message_id', 'text', c => c.notNull())
    .addColumn('sender', 'text', c => c.notNull())
    .addColumn('recipient', 'text', c => c.notNull())
    .addColumn('thread_id', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('body', 'text', c => c.notNull())
    .addColumn('in_reply_to', 'text')
    .addColumn('task_id', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .addColumn('acked_at', 'bigint')
    .addPrimaryKeyConstraint('messages_pk', ['inbox', 'seq'])
    .modifyEnd(clustered)
    .execute();
  // Idempotency, and the look-up of a parent by its id.
  await db.schema.createIndex('messages_id').on('messages').columns(['message_id', 'sender']).unique().execute();
  await db
    .insertInto('meta')
    .values([
      { key: 'schema', value: '1' },
      { key: 'epoch', value: mintEpoch() },
    ])
    .execute();
}
