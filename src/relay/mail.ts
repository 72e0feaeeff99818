import { randomUUID } from 'node:crypto';
import { relayFailures } from '../messages-relay.ts';
import { findAgent } from './agents.ts';
import { KINDS, type Kind, LIMITS, scoreOf } from './limits.ts';
import { append, type Context, inboxState, purge, purgeExpired } from './log.ts';
import { demand, type Principal } from './principal.ts';
import type { MessagesTable } from './store/schema.ts';
import type { InboxState } from './store/statements.ts';
import type { Tx } from './store/store.ts';
import { storable } from './text.ts';
import { secondTime } from './time.ts';

/** Arguments of `inbox_send`. */
export interface SendArgs {
  /** Agent id of an active agent of the tenant; our extension: its handle. */
  readonly recipientAgentId: string;
  readonly kind: Kind;
  /** 1 to 8,000 UTF-16 code units. */
  readonly body: string;
  readonly threadId?: string | undefined;
  readonly inReplyTo?: string | undefined;
  /** 1 to 128 characters. */
  readonly taskId?: string | undefined;
  /** Idempotency key within (tenant, sender): 1 to 128 printable ASCII characters. */
  readonly messageId?: string | undefined;
  /** 300 to 604,800 seconds. */
  readonly ttlSeconds?: number | undefined;
}

/** The stored row as AIS shows it (S004-34). */
export interface Message {
  readonly messageId: string;
  readonly senderAgentId: string;
  readonly recipientAgentId: string;
  readonly threadId: string;
  readonly kind: Kind;
  readonly body: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly inReplyTo?: string;
  readonly taskId?: string;
}

export interface Sent {
  readonly status: 201 | 200;
  readonly duplicate: boolean;
  readonly message: Message;
}

/**
 * Enqueues a message and appends its delivery, in one transaction. The same messageId of the same sender gives the
 * original with `duplicate: true`, whatever else differs, and never delivers twice (ais 9).
 * Throws `bad_input`, `forbidden`, `recipient_not_found`, `recipient_inbox_full`, `pair_limit_exceeded`.
 */
export async function send(context: Context, principal: Principal, args: SendArgs): Promise<Sent> {
  demand(principal, 'send');
  const input = check(args);
  return context.store.write(async tx => {
    const now = context.clock();
    const original = input.messageId && (await earlier(tx, principal, input.messageId, now));
    if (original) return { status: 200, duplicate: true, message: toMessage(original) };

    const recipient = await findAgent(tx, input.recipientAgentId, principal.tenant);
    // Unknown, inactive and foreign recipients must not be told apart (ais 11).
    if (recipient?.status !== 'active') throw relayFailures.recipientNotFound();
    const { inbox, agentId } = recipient;
    await purgeExpired(tx, inbox, now);
    const state = await inboxState(context, tx, inbox);
    await checkCapacity(tx, inbox, state, principal.agentId, now);

    const messageId = input.messageId ?? randomUUID();
    const threadId = input.threadId ?? (await parentThread(tx, principal, input.inReplyTo, now)) ?? messageId;
    const expiresAt = now + (input.ttlSeconds ?? LIMITS.ttl.default) * 1000;
    const { seq } = await append(
      context,
      tx,
      { inbox, agentId, state },
      {
        from: principal,
        kind: input.kind,
        content: input.body,
        score: scoreOf(input.kind),
        createdAt: now,
        expiresAt,
        metadata: {
          message_id: messageId,
          thread_id: threadId,
          ...(input.taskId !== undefined && { task_id: input.taskId }),
          ...(input.inReplyTo !== undefined && { in_reply_to: input.inReplyTo }),
        },
      },
    );
    const row: MessagesTable = {
      inbox,
      seq,
      message_id: messageId,
      sender: principal.agentId,
      recipient: agentId,
      thread_id: threadId,
      kind: input.kind,
      body: input.body,
      in_reply_to: input.inReplyTo ?? null,
      task_id: input.taskId ?? null,
      created_at: now,
      expires_at: expiresAt,
      acked_at: null,
    };
    await tx.insertInto('messages').values(row).execute();
    return { status: 201, duplicate: false, message: toMessage(row) };
  });
}

const ID = /^[\x21-\x7e]+$/;

function check(args: SendArgs): SendArgs {
  if (!KINDS.includes(args.kind)) throw relayFailures.badInput(`\`kind\` must be one of ${KINDS.join(', ')}.`);
  if (args.body.length < 1 || args.body.length > LIMITS.body) {
    throw relayFailures.badInput(
      `\`body\` must have 1 to ${LIMITS.body} characters; it has ${args.body.length}.`,
      'Split it, or send a pointer to a file that the recipient can read.',
    );
  }
  for (const name of ['threadId', 'inReplyTo', 'messageId'] as const) {
    const value = args[name];
    if (value !== undefined && (value.length > LIMITS.messageId || !ID.test(value))) {
      throw relayFailures.badInput(`\`${name}\` must be 1 to ${LIMITS.messageId} printable ASCII characters.`);
    }
  }
  const { taskId, ttlSeconds: ttl } = args;
  if (taskId !== undefined && (taskId.length < 1 || taskId.length > LIMITS.taskId)) {
    throw relayFailures.badInput(`\`taskId\` must have 1 to ${LIMITS.taskId} characters.`);
  }
  const { min, max } = LIMITS.ttl;
  if (ttl !== undefined && !(Number.isSafeInteger(ttl) && ttl >= min && ttl <= max)) {
    throw relayFailures.badInput(`\`ttlSeconds\` must be an integer from ${min} (5 minutes) to ${max} (7 days).`);
  }
  return { ...args, body: storable(args.body), taskId: taskId === undefined ? undefined : storable(taskId) };
}

/** The sender's earlier message of this id. One that has expired is cleared here: its id is new again (ais 9). */
async function earlier(tx: Tx, principal: Principal, messageId: string, now: number) {
  const found = await tx
    .selectFrom('messages')
    .where('message_id', '=', messageId)
    .where('sender', '=', principal.agentId)
    .selectAll()
    .executeTakeFirst();
  if (found === undefined || found.expires_at > now) return found;
  await purge(tx, found.inbox, found.seq);
  return undefined;
}

/**
 * Undelivered: unexpired, not acked by `inbox_read`, not passed by the recipient's `pull_inbox` cursor (S004-52).
 * Sequences are dense, so fewer than `pairCapacity` rows above the cursor need no counting.
 */
async function checkCapacity(tx: Tx, inbox: number, state: InboxState, sender: string, now: number): Promise<void> {
  if (state.head - state.cursor < LIMITS.pairCapacity) return;
  const counts = await tx
    .selectFrom('messages')
    .where('inbox', '=', inbox)
    .where('seq', '>', state.cursor)
    .where('acked_at', 'is', null)
    .where('expires_at', '>', now)
    .select(eb => [
      eb.fn.countAll<number>().as('all'),
      eb.fn.sum<number | null>(eb.case().when('sender', '=', sender).then(1).else(0).end()).as('pair'),
    ])
    .executeTakeFirstOrThrow();
  if (Number(counts.all) >= LIMITS.inboxCapacity) throw relayFailures.inboxFull(LIMITS.inboxCapacity);
  if (Number(counts.pair ?? 0) >= LIMITS.pairCapacity) throw relayFailures.pairFull(LIMITS.pairCapacity);
}

/** The thread of the message answered, if the sender wrote or received it and it has not expired (ais 13). */
async function parentThread(tx: Tx, principal: Principal, inReplyTo: string | undefined, now: number) {
  if (inReplyTo === undefined) return undefined;
  const parent = await tx
    .selectFrom('messages')
    .where('message_id', '=', inReplyTo)
    .where(eb => eb.or([eb('recipient', '=', principal.agentId), eb('sender', '=', principal.agentId)]))
    .where('expires_at', '>', now)
    // Ids are unique a sender only: one answers what one received rather than what one wrote.
    .orderBy(eb => eb.case().when('recipient', '=', principal.agentId).then(0).else(1).end())
    .orderBy('created_at', 'desc')
    .select('thread_id')
    .executeTakeFirst();
  return parent?.thread_id;
}

function toMessage(row: MessagesTable): Message {
  return {
    messageId: row.message_id,
    senderAgentId: row.sender,
    recipientAgentId: row.recipient,
    threadId: row.thread_id,
    kind: row.kind as Kind,
    body: row.body,
    createdAt: secondTime(row.created_at),
    expiresAt: secondTime(row.expires_at),
    ...(row.in_reply_to !== null && { inReplyTo: row.in_reply_to }),
    ...(row.task_id !== null && { taskId: row.task_id }),
  };
}
