import { relayFailures } from '../messages-relay.ts';
import { activeAgent } from './agents.ts';
import { LIMITS, scoreOf } from './limits.ts';
import { type Appended, append, type Context, inboxState } from './log.ts';
import { checkScope, DIRECT } from './scopes.ts';
import type { InboxState } from './store/statements.ts';
import { storable } from './text.ts';

/** One delivery to append. Agents are named by id or handle. */
export interface DeliverArgs {
  readonly recipient: string;
  /** Absent: the relay itself speaks. */
  readonly from?: string | undefined;
  /** Default `update`. */
  readonly kind?: string | undefined;
  readonly content: string;
  /** Default `direct`, which the recipient always sees. */
  readonly scope?: string | undefined;
  /** 0 to 1; default by kind. */
  readonly score?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Epoch ms. */
  readonly expiresAt?: number | undefined;
  /** Tenant of handles; default `default`. */
  readonly tenant?: string | undefined;
}

export type Delivered = Appended;

/** Appends a list of deliveries in one transaction, in order. Throws `bad_input` or `not_found`, appending none. */
export async function deliver(context: Context, messages: readonly DeliverArgs[]): Promise<Delivered[]> {
  for (const { score = 0, tags = [] } of messages) {
    if (!(score >= 0 && score <= 1)) throw relayFailures.badInput('`score` must be from 0 to 1.');
    if (tags.length > LIMITS.tags || tags.some(tag => tag.length > LIMITS.tag)) {
      throw relayFailures.badInput(`There may be ${LIMITS.tags} tags of ${LIMITS.tag} characters each.`);
    }
  }
  return context.store.write(async tx => {
    const agents = new Map<string, { agentId: string; handle: string; inbox: number }>();
    const states = new Map<number, InboxState>();
    const agentOf = async (name: string, tenant: string | undefined) => {
      const key = `${tenant ?? ''}/${name}`;
      const agent = agents.get(key) ?? (await activeAgent(tx, name, tenant));
      agents.set(key, agent);
      return agent;
    };
    const delivered: Delivered[] = [];
    for (const message of messages) {
      const { agentId, inbox } = await agentOf(message.recipient, message.tenant);
      const kind = storable(message.kind ?? 'update');
      const { state, ...row } = await append(
        context,
        tx,
        { inbox, agentId, state: states.get(inbox) ?? (await inboxState(context, tx, inbox)) },
        {
          from: message.from === undefined ? undefined : await agentOf(message.from, message.tenant),
          kind,
          content: storable(message.content),
          score: message.score ?? scoreOf(kind),
          scope: checkScope(message.scope ?? DIRECT),
          tags: message.tags?.map(storable),
          createdAt: context.clock(),
          expiresAt: message.expiresAt,
        },
      );
      states.set(inbox, state);
      delivered.push(row);
    }
    return delivered;
  });
}
