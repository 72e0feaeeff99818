import { z } from 'zod';
import { callApi } from '../../lib/api.ts';
import type { NewAgent } from '../../relay/agents.ts';
import { type Account, Name, type Peer, shaped, time } from './client.ts';
import type { Context } from './context.ts';

export interface Added {
  readonly agentId: string;
  readonly handle: string;
  readonly token: string;
}

/** Agents of one relay, over HTTP with an administrator's token, or on its file. */
export interface AdminClient {
  add(agent: Pick<NewAgent, 'handle' | 'readScopes' | 'rights' | 'label'> & { ttlSeconds?: number }): Promise<Added>;
  list(): Promise<readonly Peer[]>;
  revoke(agent: string): Promise<{ readonly agentId: string; readonly handle: string }>;
  close(): Promise<void>;
}

export async function openAdmin(context: Context, account: Account, create: boolean): Promise<AdminClient> {
  return account.origin.startsWith('file:') ? fileAdmin(context, account, create) : httpAdmin(context, account);
}

const Agent = z.object({ agentId: Name, handle: Name });
const AddedReply = Agent.extend({ token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });
const Listed = Agent.extend({
  status: Name,
  lastPulledAt: z.nullish(z.string()),
  pending: z.number().default(0),
});

function httpAdmin({ env }: Context, { url, origin, token, caFile }: Account): AdminClient {
  const base = '/v1/admin/agents';
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    callApi({ url, method, path, token, caFile, env, ...(body === undefined ? {} : { body }) });
  return {
    add: async agent => shaped(AddedReply, origin, await call('POST', base, agent)),
    async list() {
      const { agents } = shaped(z.object({ agents: z.array(Listed) }), origin, await call('GET', base));
      return agents.map(agent => ({ ...agent, lastPulledAt: time(agent.lastPulledAt) }));
    },
    revoke: async agent => shaped(Agent, origin, await call('DELETE', `${base}/${encodeURIComponent(agent)}`)),
    async close() {},
  };
}

/** The operating system's user is the boundary: whoever may write the file may administrate it. */
async function fileAdmin(context: Context, { origin }: Account, create: boolean): Promise<AdminClient> {
  const { openRelayService } = await import('../../relay/service.ts');
  const service = await openRelayService({ path: origin.slice('file:'.length), create });
  return {
    add: ({ ttlSeconds, ...agent }) =>
      service.addAgent({
        ...agent,
        ...(ttlSeconds === undefined ? {} : { expiresAt: context.now() + ttlSeconds * 1000 }),
      }),
    list: () => service.listAgents(),
    revoke: agent => service.revokeAgent(agent),
    close: () => service.close(),
  };
}
