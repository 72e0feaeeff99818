import { randomUUID } from 'node:crypto';
import { relayFailures } from '../messages-relay.ts';
import { mintToken, parseScopes, type TokenOptions } from './auth.ts';
import type { Context } from './log.ts';
import { type Principal, RIGHTS } from './principal.ts';
import { checkScopes } from './scopes.ts';
import type { Tx } from './store/store.ts';

export const DEFAULT_TENANT = 'default';

export interface AgentInfo {
  readonly agentId: string;
  readonly handle: string;
  readonly tenant: string;
  readonly status: 'active' | 'revoked';
  readonly readScopes: readonly string[] | null;
  /** Epoch ms of the last pull that found or acknowledged something; null when there was none. */
  readonly lastPulledAt: number | null;
  /** Deliveries above the acknowledged watermark, hidden ones included. */
  readonly pending: number;
}

export interface NewAgent extends TokenOptions {
  /** `name` or `name@team`, lower case. Never reused, not even after a revocation. */
  readonly handle: string;
  readonly tenant?: string | undefined;
  /** Absent: reads every scope. */
  readonly readScopes?: readonly string[] | undefined;
}

/** Shown once: the token is stored as a hash only. */
export interface AddedAgent {
  readonly agentId: string;
  readonly handle: string;
  readonly token: string;
  readonly tokenId: string;
}

const NAME = '[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?';
const HANDLE = new RegExp(`^${NAME}(?:@${NAME})?$`);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An agent, its inbox and its first token, in one transaction. Throws `conflict` when the handle was ever used. */
export async function addAgent(context: Context, input: NewAgent): Promise<AddedAgent> {
  const { handle, tenant = DEFAULT_TENANT } = input;
  // A handle that looks like an id could be mistaken for another agent.
  if (!HANDLE.test(handle) || UUID.test(handle)) {
    throw relayFailures.badInput(
      `${JSON.stringify(handle.slice(0, 140))} is not a handle.`,
      'Use `name` or `name@team`: lower-case letters, digits, and . _ - inside.',
    );
  }
  const readScopes = checkScopes(input.readScopes);
  return context.store.write(async tx => {
    const taken = await tx
      .selectFrom('agents')
      .where('tenant', '=', tenant)
      .where('handle', '=', handle)
      .select('id')
      .executeTakeFirst();
    if (taken !== undefined) throw relayFailures.handleTaken(handle);
    const agentId = randomUUID();
    const now = context.clock();
    await tx
      .insertInto('agents')
      .values({
        id: agentId,
        tenant,
        handle,
        status: 'active',
        read_scopes: readScopes && JSON.stringify(readScopes),
        created_at: now,
      })
      .execute();
    await tx
      .insertInto('inboxes')
      .values({ agent_id: agentId, head: 0, head_bytes: 0, cursor: 0, last_delivered_us: 0, pulled_at: null })
      .execute();
    const { token, tokenId } = await mintToken(context, tx, agentId, input);
    return { agentId, handle, token, tokenId };
  });
}

/** Another token for an active agent. Throws `not_found`. */
export async function issueToken(
  context: Context,
  agent: string,
  options: TokenOptions & { readonly tenant?: string | undefined },
): Promise<{ agentId: string; token: string; tokenId: string }> {
  return context.store.write(async tx => {
    const { agentId } = await activeAgent(tx, agent, options.tenant);
    return { agentId, ...(await mintToken(context, tx, agentId, options)) };
  });
}

/** Ends an agent: its tokens stop at once, nobody can write to it, its handle stays taken. Idempotent. */
export async function revokeAgent(context: Context, agent: string, tenant?: string): Promise<AgentInfo> {
  return context.store.write(async tx => {
    const found = await findAgent(tx, agent, tenant);
    if (found === undefined) throw relayFailures.agentNotFound(agent);
    await tx.updateTable('agents').set({ status: 'revoked' }).where('id', '=', found.agentId).execute();
    return { ...found, status: 'revoked' };
  });
}

/** Changes what an agent may read, from its next call on; undefined reads everything. */
export async function setReadScopes(
  context: Context,
  agent: string,
  scopes: readonly string[] | undefined,
): Promise<AgentInfo> {
  const readScopes = checkScopes(scopes);
  return context.store.write(async tx => {
    const found = await activeAgent(tx, agent, undefined);
    await tx
      .updateTable('agents')
      .set({ read_scopes: readScopes && JSON.stringify(readScopes) })
      .where('id', '=', found.agentId)
      .execute();
    return { ...found, readScopes };
  });
}

/** Agents of a tenant by handle. */
export async function listAgents(
  context: Context,
  filter: { readonly tenant?: string | undefined; readonly status?: 'active' | undefined },
): Promise<AgentInfo[]> {
  return context.store.read(async tx => {
    let query = agents(tx).orderBy('agents.tenant').orderBy('agents.handle');
    if (filter.tenant !== undefined) query = query.where('agents.tenant', '=', filter.tenant);
    if (filter.status !== undefined) query = query.where('agents.status', '=', filter.status);
    return (await query.execute()).map(agentInfo);
  });
}

/**
 * The principal of an active agent by id or handle without a token, for `file:` stores, where the operating system's
 * user is the boundary. Throws `not_found`.
 */
export async function actAs(context: Context, agent: string, tenant?: string): Promise<Principal> {
  return context.store.read(async tx => {
    const found = await activeAgent(tx, agent, tenant);
    const { agentId, handle, inbox, readScopes } = found;
    return { agentId, tenant: found.tenant, handle, inbox, rights: RIGHTS, readScopes, tokenScopes: null };
  });
}

export async function activeAgent(tx: Tx, agent: string, tenant: string | undefined) {
  const found = await findAgent(tx, agent, tenant);
  if (found === undefined || found.status !== 'active') throw relayFailures.agentNotFound(agent);
  return found;
}

/** By id, else by handle; a handle is looked up in the tenant, or in the default one when none is given. */
export async function findAgent(tx: Tx, agent: string, tenant: string | undefined) {
  const byId = agents(tx).where('agents.id', '=', agent);
  const row =
    (await (tenant === undefined ? byId : byId.where('agents.tenant', '=', tenant)).executeTakeFirst()) ??
    (await agents(tx)
      .where('agents.tenant', '=', tenant ?? DEFAULT_TENANT)
      .where('agents.handle', '=', agent)
      .executeTakeFirst());
  return row && { ...agentInfo(row), inbox: row.inbox };
}

function agents(tx: Tx) {
  return tx
    .selectFrom('agents')
    .innerJoin('inboxes', 'inboxes.agent_id', 'agents.id')
    .select([
      'agents.id',
      'agents.handle',
      'agents.tenant',
      'agents.status',
      'agents.read_scopes',
      'inboxes.id as inbox',
      'inboxes.head',
      'inboxes.cursor',
      'inboxes.pulled_at',
    ]);
}

function agentInfo(row: {
  id: string;
  handle: string;
  tenant: string;
  status: 'active' | 'revoked';
  read_scopes: string | null;
  head: number;
  cursor: number;
  pulled_at: number | null;
}): AgentInfo {
  return {
    agentId: row.id,
    handle: row.handle,
    tenant: row.tenant,
    status: row.status,
    readScopes: parseScopes(row.read_scopes),
    lastPulledAt: row.pulled_at,
    pending: row.head - row.cursor,
  };
}
