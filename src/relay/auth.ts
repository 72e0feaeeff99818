import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { relayFailures } from '../messages-relay.ts';
import { LIMITS } from './limits.ts';
import type { Context } from './log.ts';
import { type Principal, RIGHTS, type Right } from './principal.ts';
import { checkScopes } from './scopes.ts';
import type { TokenRow } from './store/statements.ts';
import type { Tx } from './store/store.ts';

/** Everything of a token but the secret. Times are epoch ms. */
export interface TokenInfo {
  readonly id: string;
  readonly agentId: string;
  readonly rights: readonly Right[];
  readonly scopes: readonly string[] | null;
  readonly label: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenOptions {
  /** Default: drain and send. */
  readonly rights?: readonly Right[] | undefined;
  /** Makes a token that reads less than its agent: it may peek, never ack (S000-30). */
  readonly scopes?: readonly string[] | undefined;
  readonly label?: string | undefined;
  /** Epoch ms. */
  readonly expiresAt?: number | undefined;
}

/**
 * Who a token speaks for: one indexed read, so that a revocation holds from the next call on, on every replica.
 * The store holds hashes of 256-bit random tokens only; looking one up by hash tells an attacker's clock nothing.
 * Throws `unauthenticated` for a token that is unknown, revoked, expired, or whose agent was revoked.
 */
export async function authenticate(context: Context, token: string): Promise<Principal> {
  const [row] = await context.statements.token(context.store.db, { hash: hashOf(token) });
  if (row === undefined || (row.expires_at !== null && row.expires_at <= context.clock()))
    throw relayFailures.noToken();
  return principalOf(row);
}

function principalOf(row: Omit<TokenRow, 'expires_at'>): Principal {
  return {
    agentId: row.agent_id,
    tenant: row.tenant,
    handle: row.handle,
    inbox: row.inbox,
    rights: row.rights.split(' ') as Right[],
    readScopes: parseScopes(row.read_scopes),
    tokenScopes: parseScopes(row.scopes),
  };
}

/** Mints a token inside the caller's transaction. The secret is returned once and never stored. */
export async function mintToken(
  context: Context,
  tx: Tx,
  agentId: string,
  options: TokenOptions,
): Promise<{ token: string; tokenId: string }> {
  const rights = [...new Set(options.rights ?? ['drain', 'send'])];
  if (rights.length === 0 || rights.some(right => !RIGHTS.includes(right as Right))) {
    throw relayFailures.badInput('A token has one or more of the rights drain, send and admin.');
  }
  const scopes = checkScopes(options.scopes);
  if (options.label !== undefined && (options.label.length > LIMITS.label || options.label === '')) {
    throw relayFailures.badInput(`A label has 1 to ${LIMITS.label} characters.`);
  }
  const { expiresAt } = options;
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > context.clock())) {
    throw relayFailures.badInput(
      'A token expires in the future.',
      'Leave the expiry out for a token that does not expire.',
    );
  }
  const token = `prt_${randomBytes(32).toString('base64url')}`;
  const tokenId = randomUUID();
  await tx
    .insertInto('tokens')
    .values({
      id: tokenId,
      hash: hashOf(token),
      agent_id: agentId,
      rights: rights.join(' '),
      scopes: scopes && JSON.stringify(scopes),
      label: options.label ?? null,
      created_at: context.clock(),
      expires_at: expiresAt ?? null,
      revoked_at: null,
    })
    .execute();
  return { token, tokenId };
}

/** Revokes at once. Idempotent; throws `not_found` when the tenant has no such token. */
export async function revokeToken(context: Context, tenant: string | undefined, id: string): Promise<TokenInfo> {
  return context.store.write(async tx => {
    const found = await tokens(tx, tenant).where('tokens.id', '=', id).executeTakeFirst();
    if (found === undefined) throw relayFailures.tokenNotFound(id);
    const revokedAt = found.revoked_at ?? context.clock();
    await tx.updateTable('tokens').set({ revoked_at: revokedAt }).where('id', '=', id).execute();
    return tokenInfo({ ...found, revoked_at: revokedAt });
  });
}

export async function listTokens(context: Context, agentId: string): Promise<TokenInfo[]> {
  return context.store.read(async tx =>
    (await tokens(tx, undefined).where('tokens.agent_id', '=', agentId).orderBy('tokens.created_at').execute()).map(
      tokenInfo,
    ),
  );
}

function tokens(tx: Tx, tenant: string | undefined) {
  const all = tx.selectFrom('tokens').innerJoin('agents', 'agents.id', 'tokens.agent_id').selectAll('tokens');
  return tenant === undefined ? all : all.where('agents.tenant', '=', tenant);
}

function tokenInfo(row: {
  id: string;
  agent_id: string;
  rights: string;
  scopes: string | null;
  label: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}): TokenInfo {
  return {
    id: row.id,
    agentId: row.agent_id,
    rights: row.rights.split(' ') as Right[],
    scopes: parseScopes(row.scopes),
    label: row.label,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

export function parseScopes(json: string | null): readonly string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
