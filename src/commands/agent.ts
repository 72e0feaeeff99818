import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { span } from '../core/item.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import { RIGHTS, type Right } from '../relay/principal.ts';
import { administrated } from './shared/account.ts';
import { type AdminClient, openAdmin } from './shared/admin.ts';
import type { Account } from './shared/client.ts';
import type { Context, Result } from './shared/context.ts';
import { seconds, text } from './shared/options.ts';
import { table } from './shared/table.ts';

/** `preturn agent add <handle>` */
export async function add(context: Context): Promise<Result> {
  const account = administrated(context);
  const rights = text(context, 'rights')?.split(',').map(checkRight);
  const ttl = text(context, 'ttl');
  const label = text(context, 'label');
  const scopes = context.options.scope as readonly string[] | undefined;
  if (account.origin.startsWith('file:')) mkdirSync(dirname(account.origin.slice(5)), { recursive: true, mode: 0o700 });
  return withAdmin(context, account, true, async admin => {
    const added = await admin.add({
      handle: context.args[0]!,
      ...(rights === undefined ? {} : { rights }),
      ...(scopes === undefined ? {} : { readScopes: scopes }),
      ...(label === undefined ? {} : { label }),
      ...(ttl === undefined ? {} : { ttlSeconds: seconds('--ttl', ttl) }),
    });
    const { agentId, handle, token } = added;
    // On a file an identity needs no token; it is of use only where the same store is also served.
    const local = account.origin.startsWith('file:');
    return {
      text: local ? says.agentAddedToFile(handle, account.url) : says.agentAdded(handle, account.url, token),
      data: { agentId, handle, token },
    };
  });
}

/** `preturn agent list` */
export async function list(context: Context): Promise<Result> {
  return withAdmin(context, administrated(context), false, async admin => {
    const agents = await admin.list();
    const now = context.now();
    const rows = agents.map(agent => [
      sanitizeLine(agent.handle),
      sanitizeLine(agent.status),
      String(agent.pending),
      agent.lastPulledAt === null ? 'never' : `${span(now - agent.lastPulledAt)} ago`,
      sanitizeLine(agent.agentId),
    ]);
    const when = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
    return {
      text:
        rows.length === 0
          ? says.noAgents()
          : table(['HANDLE', 'STATUS', 'PENDING', 'LAST PULL', 'ID'], rows, context.width),
      data: {
        agents: agents.map(({ agentId, handle, status, pending, lastPulledAt }) => ({
          agentId,
          handle,
          status,
          pending,
          lastPulledAt: when(lastPulledAt),
        })),
      },
    };
  });
}

/** `preturn agent revoke <handle|id>` */
export async function revoke(context: Context): Promise<Result> {
  return withAdmin(context, administrated(context), false, async admin => {
    const { agentId, handle } = await admin.revoke(context.args[0]!);
    return { text: says.agentRevoked(handle), data: { agentId, handle, status: 'revoked' } };
  });
}

async function withAdmin(
  context: Context,
  account: Account,
  create: boolean,
  work: (admin: AdminClient) => Promise<Result>,
): Promise<Result> {
  const admin = await openAdmin(context, account, create);
  try {
    return await context.waiting(account.origin, work(admin));
  } finally {
    await admin.close();
  }
}

function checkRight(name: string): Right {
  const right = RIGHTS.find(one => one === name.trim());
  if (!right) throw cliFailures.notARight(name, RIGHTS);
  return right;
}
