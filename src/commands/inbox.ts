import { span } from '../core/item.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { type Delivery, rowKey } from '../delivery.ts';
import { inboxDir, openJournal } from '../journal/journal.ts';
import { provenKeys } from '../journal/ledger.ts';
import { says } from '../messages-says.ts';
import type { Context, Result } from './shared/context.ts';
import { framed } from './shared/frame.ts';
import { chosenInbox, PATIENCE_MS, type Placed, sourceOf } from './shared/inboxes.ts';
import { integerOption } from './shared/options.ts';
import { table } from './shared/table.ts';
import { sortByTrust } from './shared/trusted.ts';
import { inSequence, walk } from './shared/walk.ts';

const DEFAULT_ITEMS = 50;
const MAX_ITEMS = 10_000;

/** `preturn inbox`: what waits, acknowledging nothing. */
export async function run(context: Context): Promise<Result> {
  const most = integerOption(context, 'limit', 1, MAX_ITEMS) ?? DEFAULT_ITEMS;
  const placed = chosenInbox(context);
  const source = sourceOf(context, placed.inbox);
  const pages = await context.waiting(
    placed.inbox.origin,
    walk(
      source,
      () => AbortSignal.timeout(PATIENCE_MS),
      sofar => sofar.reduce((sum, page) => sum + page.deliveries.length, 0) > most,
    ),
  );
  const { shown: all, withheld } = sortByTrust(context, inSequence(pages));
  const items = all.slice(0, most);
  const more = pages.at(-1)!.hasMore;
  const facts = { cursor: pages[0]!.cursor, left: all.length - items.length, more, withheld };
  return {
    data: { inbox: placed.inbox.name, ...facts, items: items.map(describe(context, placed)) },
    text: context.terminal ? forPeople(context, placed, items, facts) : forPipes(context, placed, items, facts),
  };
}

interface Facts {
  readonly cursor: number;
  readonly left: number;
  readonly more: boolean;
  readonly withheld: number;
}

/** Items that a block has proven to show wait only for their acknowledgement. */
function stateOf(context: Context, { inbox }: Placed): (delivery: Delivery) => 'new' | 'shown' {
  const known = provenKeys(openJournal(inboxDir(context.stateDir, inbox), inbox, '').state);
  return delivery => (known.has(rowKey(delivery)) ? 'shown' : 'new');
}

function describe(context: Context, placed: Placed) {
  const state = stateOf(context, placed);
  return (delivery: Delivery) => ({
    seq: delivery.seq,
    id: delivery.id,
    from: delivery.sender,
    fromId: delivery.senderId,
    kind: delivery.kind,
    score: delivery.score,
    state: state(delivery),
    deliveredAt: isoTime(delivery.deliveredAt),
    expiresAt: isoTime(delivery.expiresAt),
    characters: delivery.body.length,
    start: delivery.body.slice(0, 120),
  });
}

function forPipes(context: Context, placed: Placed, deliveries: readonly Delivery[], facts: Facts): string {
  if (deliveries.length === 0) return says.inboxEmpty(facts.withheld);
  return framed({ ...placed, ...facts, deliveries, whole: false, now: context.now() });
}

function forPeople(context: Context, placed: Placed, items: readonly Delivery[], facts: Facts): string {
  if (items.length === 0) return says.inboxEmpty(facts.withheld);
  const now = context.now();
  const state = stateOf(context, placed);
  const rows = items.map(item => [
    String(item.seq),
    item.deliveredAt === undefined ? '' : span(now - item.deliveredAt),
    item.score.toFixed(2),
    state(item),
    plain(item.sender || item.senderId, 24),
    plain(item.kind, 12),
    plain(item.unreadable ?? item.body, 400),
  ]);
  const list = table(['SEQ', 'AGE', 'SCORE', 'STATE', 'FROM', 'KIND', 'TEXT'], rows, context.width);
  return `${list}\n${says.inboxFoot(facts)}`;
}

/** For eyes, not for models: the sanitiser's entities back to brackets. */
function plain(text: string, most: number): string {
  return sanitizeLine(text.slice(0, most * 4))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .slice(0, most);
}

function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
