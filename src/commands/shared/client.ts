import { existsSync } from 'node:fs';
import { z } from 'zod';
import { callApi } from '../../lib/api.ts';
import { failures } from '../../messages.ts';
import type { SendArgs } from '../../relay/mail.ts';
import type { Inbox } from '../../sources/index.ts';
import type { Context } from './context.ts';

/** What a peer may know of an agent. */
export interface Peer {
  readonly agentId: string;
  readonly handle: string;
  readonly status: string;
  /** Epoch ms; null when it never pulled anything. */
  readonly lastPulledAt: number | null;
  readonly pending: number;
}

export interface SentMessage {
  readonly messageId: string;
  readonly threadId: string;
  readonly duplicate: boolean;
}

/** One identity at one relay, over HTTP or in this process on its file. */
export interface RelayClient {
  me(): Promise<{ readonly agentId: string; readonly handle: string }>;
  peers(): Promise<readonly Peer[]>;
  send(message: SendArgs): Promise<SentMessage>;
  close(): Promise<void>;
}

export type Account = Pick<Inbox, 'url' | 'origin' | 'token' | 'caFile' | 'identity'>;

/** @throws `unreachable` when a `file:` store does not exist; everything else by the calls */
export async function openClient(context: Context, account: Account): Promise<RelayClient> {
  return account.origin.startsWith('file:') ? fileClient(account) : httpClient(context, account);
}

/**
 * A name as servers give it, printable as it stands: what comes back may be read by a person's terminal or by an agent.
 * Anything else is no answer of a relay.
 */
export const Name = z.string().regex(/^[^\p{C}\s<>]{1,140}$/u);

const Me = z.object({ agentId: Name, handle: Name });
const PeerReply = z.object({
  agentId: Name,
  handle: Name,
  status: Name,
  lastPulledAt: z.nullish(z.string()),
  pending: z.number().default(0),
});
const Sent = z.object({
  duplicate: z.boolean().default(false),
  message: z.object({ messageId: z.string(), threadId: z.string().default('') }),
});

export const time = (text: string | null | undefined) => {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
};

/** A reply in its shape, or `bad_reply`. */
export function shaped<T>(schema: z.ZodType<T>, origin: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw failures.badReply(
    origin,
    `\`${parsed.error.issues[0]?.path.map(String).join('.') || 'body'}\` is missing or not as it should be`,
  );
}

function httpClient({ env }: Context, { url, origin, token, caFile }: Account): RelayClient {
  const call = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    callApi({ url, method, path, token, caFile, env, ...(body === undefined ? {} : { body }) });
  return {
    me: async () => shaped(Me, origin, await call('GET', '/v1/agents/me')),
    async peers() {
      const reply = shaped(z.object({ agents: z.array(PeerReply) }), origin, await call('GET', '/v1/agents'));
      return reply.agents.map(peer => ({ ...peer, lastPulledAt: time(peer.lastPulledAt) }));
    },
    async send(message) {
      const reply = shaped(Sent, origin, await call('POST', '/v1/inbox/messages', message));
      return { ...reply.message, duplicate: reply.duplicate };
    },
    async close() {},
  };
}

async function fileClient({ origin, identity }: Account): Promise<RelayClient> {
  const path = origin.slice('file:'.length);
  if (!existsSync(path)) throw failures.unreachable(origin, 'the file does not exist');
  const { openRelayService } = await import('../../relay/service.ts');
  const service = await openRelayService({ path, create: false });
  const me = () => service.actAs(identity);
  return {
    me: async () => service.whoami(await me()),
    peers: async () => service.peers(await me()),
    async send(message) {
      const { message: stored, duplicate } = await service.send(await me(), message);
      return { messageId: stored.messageId, threadId: stored.threadId, duplicate };
    },
    close: () => service.close(),
  };
}
