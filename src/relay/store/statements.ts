import { sql } from 'kysely';
import { prepare } from './prepared.ts';
import type { DeliveriesTable } from './schema.ts';
import type { Db } from './store.ts';

/** The state of one inbox and the epoch of the store, in one read. */
export interface InboxState {
  readonly cursor: number;
  readonly head: number;
  readonly head_bytes: number;
  readonly last_delivered_us: number;
  readonly pulled_at: number | null;
  readonly epoch: string;
}

export interface WindowRow {
  readonly seq: number;
  readonly delivery_id: string;
  readonly scope: string;
  readonly score: number;
  readonly expires_at: number | null;
  readonly item: string | null;
}

export interface TokenRow {
  readonly agent_id: string;
  readonly tenant: string;
  readonly handle: string;
  readonly read_scopes: string | null;
  readonly inbox: number;
  readonly rights: string;
  readonly scopes: string | null;
  readonly expires_at: number | null;
}

interface WindowArgs {
  readonly inbox: number;
  /** The window holds rows with `seq > floor`. */
  readonly floor: number;
  readonly limit: number;
  /** UTF-8 bytes after which the window ends, yet never before its first row. */
  readonly bytes: number;
}

export type Statements = ReturnType<typeof hotStatements>;

/**
 * The statements of the hot path, compiled once a store. Each touches one inbox's rows (or one token's), as a range
 * over the clustered key, so that the log can be sharded by recipient.
 */
export function hotStatements(db: Db) {
  return {
    /** An active token of an active agent, with the agent's inbox. Expiry is the caller's check. */
    token: prepare<{ hash: string }, TokenRow>(slot =>
      db
        .selectFrom('tokens')
        .innerJoin('agents', 'agents.id', 'tokens.agent_id')
        .innerJoin('inboxes', 'inboxes.agent_id', 'agents.id')
        .where('tokens.hash', '=', slot.hash)
        .where('tokens.revoked_at', 'is', null)
        .where('agents.status', '=', 'active')
        .select([
          'agents.id as agent_id',
          'agents.tenant',
          'agents.handle',
          'agents.read_scopes',
          'inboxes.id as inbox',
          'tokens.rights',
          'tokens.scopes',
          'tokens.expires_at',
        ]),
    ),

    inbox: prepare<{ inbox: number }, InboxState>(slot =>
      db
        .selectFrom('inboxes')
        .where('id', '=', slot.inbox)
        .select(['cursor', 'head', 'head_bytes', 'last_delivered_us', 'pulled_at'])
        .select(eb =>
          eb.selectFrom('meta').where('key', '=', 'epoch').select('value').$asScalar().$notNull().as('epoch'),
        ),
    ),

    /** The rows of a window, hidden ones included. */
    window: prepare<WindowArgs, WindowRow>(slot =>
      examined(slot, ['seq', 'delivery_id', 'scope', 'score', 'expires_at', 'item']),
    ),

    /**
     * A window for a reader of every scope: its last sequence (null when it is empty) and its items in one text, one a
     * line. JSON holds no raw line break. A third of the time of reading rows (39 µs against 129 for 50 × 1.5 KB), most
     * of which goes into making values; sorting here would copy the items once more.
     */
    windowText: prepare<WindowArgs & { readonly now: number }, { top: number | null; items: string | null }>(slot =>
      db
        .selectFrom(examined(slot, ['seq', 'expires_at', 'item']).as('examined'))
        .select(eb => eb.fn.max('examined.seq').as('top'))
        .select(
          sql<string | null>`string_agg(item, ${sql.lit('\n')})
            filter (where item is not null and (expires_at is null or expires_at > ${slot.now}))`.as('items'),
        ),
    ),

    /** The last sequence of a window, or null when it is empty. */
    windowTop: prepare<WindowArgs, { top: number | null }>(slot =>
      db.selectFrom(examined(slot, ['seq']).as('examined')).select(eb => eb.fn.max('examined.seq').as('top')),
    ),

    deliveryId: prepare<{ inbox: number; seq: number }, { delivery_id: string }>(slot =>
      db.selectFrom('deliveries').where('inbox', '=', slot.inbox).where('seq', '=', slot.seq).select('delivery_id'),
    ),

    /** What visibility depends on, for the rows in (`floor`, `top`]. */
    visibility: prepare<
      { inbox: number; floor: number; top: number },
      { seq: number; scope: string; expires_at: number | null; purged: number }
    >(slot =>
      db
        .selectFrom('deliveries')
        .where('inbox', '=', slot.inbox)
        .where('seq', '>', slot.floor)
        .where('seq', '<=', slot.top)
        .orderBy('seq')
        .select(['seq', 'scope', 'expires_at'])
        .select(eb => eb.case().when('item', 'is', null).then(1).else(0).end().as('purged')),
    ),

    acknowledge: prepare<{ inbox: number; cursor: number; pulledAt: number | null }, never>(
      slot =>
        db
          .updateTable('inboxes')
          .set({ cursor: slot.cursor, pulled_at: slot.pulledAt })
          .where('id', '=', slot.inbox) as never,
    ),

    pulled: prepare<{ inbox: number; pulledAt: number }, never>(
      slot => db.updateTable('inboxes').set({ pulled_at: slot.pulledAt }).where('id', '=', slot.inbox) as never,
    ),

    append: prepare<
      {
        inbox: number;
        seq: number;
        deliveryId: string;
        scope: string;
        score: number;
        deliveredUs: number;
        expiresAt: number | null;
        bytes: number;
        bytesThrough: number;
        tokens: number | null;
        item: string;
      },
      never
    >(
      slot =>
        db.insertInto('deliveries').values({
          inbox: slot.inbox,
          seq: slot.seq,
          delivery_id: slot.deliveryId,
          scope: slot.scope,
          score: slot.score,
          delivered_us: slot.deliveredUs,
          expires_at: slot.expiresAt,
          bytes: slot.bytes,
          bytes_through: slot.bytesThrough,
          tokens: slot.tokens,
          item: slot.item,
        }) as never,
    ),

    advanceHead: prepare<{ inbox: number; head: number; headBytes: number; deliveredUs: number }, never>(
      slot =>
        db
          .updateTable('inboxes')
          .set({ head: slot.head, head_bytes: slot.headBytes, last_delivered_us: slot.deliveredUs })
          .where('id', '=', slot.inbox) as never,
    ),
  };

  /** The rows that a window examines, in order. */
  function examined<C extends keyof DeliveriesTable>(slot: WindowArgs, columns: readonly C[]) {
    return db
      .selectFrom('deliveries')
      .where('inbox', '=', slot.inbox)
      .where('seq', '>', slot.floor)
      .where('bytes_through', '<=', byteCeiling(slot))
      .orderBy('seq')
      .limit(slot.limit)
      .select(columns);
  }

  /**
   * Largest `bytes_through` of a window: its first row's own, or `bytes` beyond where that row starts. Rows keep their
   * running sum, so one comparison bounds the window, for the page and for the clamp of an ack alike (S000-15).
   */
  function byteCeiling(slot: WindowArgs) {
    return db
      .selectFrom('deliveries as first')
      .where('first.inbox', '=', slot.inbox)
      .where('first.seq', '>', slot.floor)
      .orderBy('first.seq')
      .limit(1)
      .select(eb =>
        eb
          .case()
          .when('first.bytes', '>', slot.bytes)
          .then(eb.ref('first.bytes_through'))
          .else(sql<number>`first.bytes_through - first.bytes + ${slot.bytes}`)
          .end()
          .as('ceiling'),
      );
  }
}
