import {
  type AddedAgent,
  type AgentInfo,
  actAs,
  activeAgent,
  addAgent,
  issueToken,
  listAgents,
  type NewAgent,
  revokeAgent,
  setReadScopes,
} from './agents.ts';
import { authenticate, listTokens, revokeToken, type TokenInfo, type TokenOptions } from './auth.ts';
import { type DeliverArgs, type Delivered, deliver } from './deliver.ts';
import { LIMITS } from './limits.ts';
import type { Context } from './log.ts';
import { type SendArgs, type Sent, send } from './mail.ts';
import { type OpenArgs, open } from './open.ts';
import type { Principal } from './principal.ts';
import { type Guard, type PullArgs, type PullResult, pull } from './pull.ts';
import { mintEpoch } from './store/migrations.ts';
import { openSqlite } from './store/sqlite.ts';
import { hotStatements } from './store/statements.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  /** SQLite file, created with mode 0600 where it is missing, or `:memory:`. */
  readonly path: string;
  /** Default true. A hook passes false, so that a mistyped path is an error and not a new, empty relay. */
  readonly create?: boolean | undefined;
  /** How long to wait for another process's write lock, ms. Default 5000; a hook passes what its budget leaves. */
  readonly busyTimeoutMs?: number | undefined;
  /** `pull.max_batch`: rows a pull examines at most. Default 200. */
  readonly maxBatch?: number | undefined;
  /** UTF-8 bytes of one window at most, never below one row. Default 512 KB. */
  readonly windowBytes?: number | undefined;
  /** Epoch ms; default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/**
 * The relay without a protocol: what every surface translates to, and what a `file:` source runs in its own process.
 * Arguments are typed, not parsed; surfaces parse. Every failure is a `PreturnError`.
 */
export interface RelayService {
  /** Throws `unauthenticated`. */
  authenticate(token: string): Promise<Principal>;
  /** By agent id or handle, without a token: for `file:` stores only. Throws `not_found`. */
  actAs(agent: string, tenant?: string): Promise<Principal>;

  pull(principal: Principal, args?: PullArgs, guard?: Guard): Promise<PullResult>;
  open(principal: Principal, args?: OpenArgs): Promise<{ itemsJson: string[] }>;
  send(principal: Principal, args: SendArgs): Promise<Sent>;
  whoami(principal: Principal): { agentId: string; tenantId: string; status: 'active'; handle: string };
  /** Active agents of the caller's tenant. */
  peers(principal: Principal): Promise<AgentInfo[]>;

  /** Appends for toolsets and tests: no capacity, no idempotency. A list is one transaction. */
  deliver(message: DeliverArgs): Promise<Delivered>;
  deliverAll(messages: readonly DeliverArgs[]): Promise<Delivered[]>;

  addAgent(agent: NewAgent): Promise<AddedAgent>;
  /** All agents, revoked ones included, of one tenant or of all. */
  listAgents(tenant?: string): Promise<AgentInfo[]>;
  revokeAgent(agent: string, tenant?: string): Promise<AgentInfo>;
  setReadScopes(agent: string, scopes: readonly string[] | undefined): Promise<AgentInfo>;
  issueToken(
    agent: string,
    options?: TokenOptions & { readonly tenant?: string | undefined },
  ): Promise<{ agentId: string; token: string; tokenId: string }>;
  listTokens(agent: string, tenant?: string): Promise<TokenInfo[]>;
  revokeToken(id: string, tenant?: string): Promise<TokenInfo>;

  epoch(): Promise<string>;
  /** A new identity of the store: after a restore, acks that rest on the old one are ignored. */
  newEpoch(): Promise<string>;
  /** The database below, for maintenance and tests. */
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens the service over SQLite. Throws `store_unavailable` or `busy`. */
export async function openRelayService(options: ServiceOptions): Promise<RelayService> {
  const store = await openSqlite({
    path: options.path,
    busyTimeoutMs: options.busyTimeoutMs ?? 5000,
    create: options.create ?? true,
  });
  return relayService({
    store,
    statements: hotStatements(store.db),
    clock: options.clock ?? Date.now,
    maxBatch: options.maxBatch ?? LIMITS.maxBatch,
    windowBytes: options.windowBytes ?? LIMITS.windowBytes,
  });
}

/** The service over any store. */
export function relayService(context: Context): RelayService {
  const { store } = context;
  return {
    authenticate: token => authenticate(context, token),
    actAs: (agent, tenant) => actAs(context, agent, tenant),

    pull: (principal, args = {}, guard = {}) => pull(context, principal, args, guard),
    open: (principal, args = {}) => open(context, principal, args),
    send: (principal, args) => send(context, principal, args),
    whoami: ({ agentId, tenant, handle }) => ({ agentId, tenantId: tenant, status: 'active', handle }),
    peers: ({ tenant }) => listAgents(context, { tenant, status: 'active' }),

    deliver: async message => (await deliver(context, [message]))[0]!,
    deliverAll: messages => deliver(context, messages),

    addAgent: agent => addAgent(context, agent),
    listAgents: tenant => listAgents(context, { tenant }),
    revokeAgent: (agent, tenant) => revokeAgent(context, agent, tenant),
    setReadScopes: (agent, scopes) => setReadScopes(context, agent, scopes),
    issueToken: (agent, tokenOptions = {}) => issueToken(context, agent, tokenOptions),
    listTokens: async (agent, tenant) => {
      const { agentId } = await store.read(tx => activeAgent(tx, agent, tenant));
      return listTokens(context, agentId);
    },
    revokeToken: (id, tenant) => revokeToken(context, tenant, id),

    epoch: async () => {
      const query = store.db.selectFrom('meta').where('key', '=', 'epoch').select('value');
      return (await query.executeTakeFirstOrThrow()).value;
    },
    newEpoch: async () => {
      const value = mintEpoch();
      await store.db.updateTable('meta').set({ value }).where('key', '=', 'epoch').execute();
      return value;
    },
    store,
    close: () => store.close(),
  };
}
