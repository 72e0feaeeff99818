import type { Delivery, RowId } from '../../delivery.ts';
import { digest } from '../../lib/digest.ts';
import { failures } from '../../messages.ts';
import type { Page, PullRequest } from '../source.ts';

type Json = Readonly<Record<string, unknown>>;

export interface WireContext {
  readonly source: string;
  readonly origin: string;
  readonly request: PullRequest;
}

/** What travels beside the seed's envelope, where a server states it. */
export interface WireExtras {
  readonly epoch?: string;
  readonly windowRow?: RowId;
  readonly ack?: Page['ack'];
}

/**
 * Validates one `pull_inbox` envelope and maps it to a page. Tolerant of extra fields, both casings and both spellings
 * of int64; closed to everything else: a faulty envelope moves no cursor, a faulty item becomes an unreadable one.
 *
 * @throws PreturnError `bad_reply`
 */
export function toPage(value: unknown, bytes: number, context: WireContext, extras: WireExtras): Page {
  const bad = (why: string) => failures.badReply(context.origin, why);
  const body = object(value);
  if (!body) throw bad('it is no JSON object');
  const cursor = integer(body.cursor);
  const windowHigh = integer(body.window_high ?? body.windowHigh);
  const hasMore = body.has_more ?? body.hasMore;
  if (cursor === undefined) throw bad('cursor is no sequence');
  if (windowHigh === undefined) throw bad('window_high is no sequence');
  if (typeof hasMore !== 'boolean') throw bad('has_more is no boolean');
  if (!Array.isArray(body.items)) throw bad('items is no list');
  // `limit` counts examined rows and is clamped down only (S000-15): more items are a server that would flood the turn.
  const { limit } = context.request;
  if (limit !== undefined && body.items.length > limit) throw bad('it holds more items than were asked for');
  const floor = context.request.since ?? cursor;
  const seen = new Set<number>();
  const deliveries = body.items.map(item => {
    const seq = integer(object(item)?.delivery_seq ?? object(item)?.deliverySeq);
    if (seq === undefined) throw bad('an item has no sequence');
    if (seq <= floor || seq > windowHigh) throw bad(`item ${seq} lies outside its window`);
    if (seen.has(seq)) throw bad(`item ${seq} comes twice`);
    seen.add(seq);
    return toDelivery(object(item)!, seq, context);
  });
  const { epoch, windowRow, ack } = extras;
  return {
    deliveries,
    floor,
    cursor,
    windowHigh,
    hasMore,
    bytes,
    ...(epoch === undefined ? {} : { epoch }),
    ...(windowRow === undefined ? {} : { windowRow }),
    ...(ack === undefined ? {} : { ack }),
  };
}

/** One `InboxItem` (S000-21): its sequence, the memory diff and the delivery record. */
export function toDelivery(
  item: Json,
  seq: number,
  { source, origin }: Pick<WireContext, 'source' | 'origin'>,
): Delivery {
  const diff = object(item.diff);
  const record = object(item.delivery);
  const id =
    text(record?.delivery_id ?? record?.deliveryId) ?? text(diff?.diff_id ?? diff?.diffId) ?? fingerprint(item);
  const base = { source, origin, seq, id };
  const content = diff?.content;
  if (!diff || typeof content !== 'string') {
    return { ...base, senderId: '', sender: '', kind: '', score: 0, body: '', unreadable: 'it carries no text' };
  }
  const metadata = object(diff.metadata);
  const senderId = text(diff.origin_agent_id ?? diff.originAgentId) ?? '';
  const tags = Array.isArray(diff.tags) ? diff.tags : [];
  const optional = {
    deliveredAt: time(record?.delivered_at ?? record?.deliveredAt),
    expiresAt: time(metadata?.expires_at ?? metadata?.expiresAt),
    threadId: text(metadata?.thread_id ?? metadata?.threadId),
    taskId: text(metadata?.task_id ?? metadata?.taskId),
  };
  return {
    ...base,
    senderId,
    sender: text(metadata?.from_handle ?? metadata?.fromHandle) ?? senderId,
    kind: text(metadata?.kind) ?? text(tags[0]) ?? 'diff',
    score: score(record?.score),
    body: content,
    ...defined(optional),
  };
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A sequence: a number, or the decimal string that proto3 JSON writes for int64; a safe integer ≥ 0. */
function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function score(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

function time(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

/** The id of an item whose server names none: stable as long as its bytes are. */
function fingerprint(item: Json): string {
  return digest(JSON.stringify(item));
}
