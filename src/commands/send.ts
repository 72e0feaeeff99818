import { randomUUID } from 'node:crypto';
import { sanitizeLine } from '../core/sanitize.ts';
import { PreturnError } from '../errors.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import { KINDS, type Kind } from '../relay/limits.ts';
import type { SendArgs } from '../relay/mail.ts';
import { openClient, type RelayClient } from './shared/client.ts';
import type { Context, Result } from './shared/context.ts';
import { chosenInbox } from './shared/inboxes.ts';
import { seconds, text } from './shared/options.ts';
import { readAll } from './shared/stdin.ts';

/** A recipient that has not looked for this long is worth a word, ms. */
const QUIET_MS = 24 * 60 * 60_000;

/** Failures before a byte was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** `preturn send <to> [body|-]` */
export async function run(context: Context): Promise<Result> {
  const [to, given] = context.args;
  const kind = text(context, 'kind') ?? 'update';
  if (!(KINDS as readonly string[]).includes(kind)) throw cliFailures.notAKind(kind, KINDS);
  const ttl = text(context, 'ttl');
  const optional = {
    threadId: text(context, 'thread'),
    inReplyTo: text(context, 'replyTo'),
    taskId: text(context, 'task'),
    ttlSeconds: ttl === undefined ? undefined : seconds('--ttl', ttl),
  };
  const { inbox } = chosenInbox(context);
  const body = await bodyOf(context, given);
  const message: SendArgs = {
    recipientAgentId: to!,
    kind: kind as Kind,
    body,
    // Always one of our own, so that a repetition after a lost answer never delivers twice.
    messageId: text(context, 'id') ?? randomUUID(),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
  const client = await openClient(context, inbox);
  try {
    const sent = await context.waiting(inbox.origin, client.send(message)).catch(error => {
      throw repeatable(error, message.messageId!);
    });
    if (sent.duplicate) context.note(says.duplicate());
    else if (context.terminal && !context.json) await noteReader(context, client, to!);
    // Our own id, not what a server says it is: the line may be read by an agent.
    return { text: message.messageId!, data: { ...sent, messageId: message.messageId } };
  } finally {
    await client.close();
  }
}

/** The argument, or stdin without its last line end. */
async function bodyOf(context: Context, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && context.stdin.isTTY) throw cliFailures.noBody();
  return (await readAll(context.stdin)).replace(/\r?\n$/, '');
}

/** Without an answer nobody knows whether it arrived; the id makes a repetition safe. */
function repeatable(error: unknown, messageId: string): unknown {
  if (!(error instanceof PreturnError) || !['unreachable', 'timeout', 'bad_reply'].includes(error.code)) return error;
  if (NEVER_SENT.has((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')) return error;
  return new PreturnError(error.code, error.message, { hint: says.repeatWith(messageId, error.hint), cause: error });
}

/** Tells the sender when the recipient seems not to read. Only a service: it never fails the command. */
async function noteReader(context: Context, client: RelayClient, to: string): Promise<void> {
  try {
    const peer = (await client.peers()).find(one => one.handle === to || one.agentId === to);
    if (!peer) return;
    const age = peer.lastPulledAt === null ? undefined : context.now() - peer.lastPulledAt;
    if (age === undefined || age > QUIET_MS)
      context.note(says.notReading(sanitizeLine(peer.handle), age, peer.pending));
  } catch {}
}
