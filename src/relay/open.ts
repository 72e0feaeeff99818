import type { Context } from './log.ts';
import { demand, type Principal, visibleTo } from './principal.ts';
import type { Tx } from './store/store.ts';
import { parseMicroTime } from './time.ts';

export interface OpenArgs {
  /** RFC 3339 with any offset; empty or absent means the whole history (S003-05, -07). */
  readonly lastSeen?: string | undefined;
}

/**
 * `inbox`: every visible item delivered strictly after `lastSeen`, by sequence, in one list. Writes nothing: no cursor,
 * no pulled time, no presence (S003-16). Throws `bad_input` for anything that is not a time.
 */
export async function open(context: Context, principal: Principal, args: OpenArgs): Promise<{ itemsJson: string[] }> {
  demand(principal, 'drain');
  const after = args.lastSeen ? parseMicroTime(args.lastSeen) : undefined;
  const { inbox } = principal;
  return context.store.read(async tx => {
    const first = after === undefined ? 0 : await firstAfter(tx, inbox, after);
    const rows = await tx
      .selectFrom('deliveries')
      .where('inbox', '=', inbox)
      .where('seq', '>=', first)
      .where('item', 'is not', null)
      .orderBy('seq')
      .select(['scope', 'expires_at', 'item'])
      .execute();
    const now = context.clock();
    return { itemsJson: rows.filter(row => visibleTo(principal, row, now)).map(row => row.item as string) };
  });
}

/**
 * The lowest sequence whose row was delivered after `us`. Times rise with sequences, so a binary search over the
 * clustered key finds it in some twenty probes; an index on time would cost every append instead.
 */
async function firstAfter(tx: Tx, inbox: number, us: number): Promise<number> {
  const state = await tx.selectFrom('inboxes').where('id', '=', inbox).select('head').executeTakeFirstOrThrow();
  let low = 0;
  let high = state.head + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const probe = await tx
      .selectFrom('deliveries')
      .where('inbox', '=', inbox)
      .where('seq', '>=', middle)
      .orderBy('seq')
      .limit(1)
      .select(['seq', 'delivered_us'])
      .executeTakeFirst();
    if (probe === undefined || probe.delivered_us > us) high = middle;
    else low = probe.seq + 1;
  }
  return low;
}
