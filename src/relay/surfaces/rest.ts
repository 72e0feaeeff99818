import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failures } from '../../messages.ts';
import type { AgentInfo } from '../agents.ts';
import type { Principal } from '../principal.ts';
import type { Guard, PullResult } from '../pull.ts';
import { OpenInput, PullInput, parse, SendInput } from '../schema.ts';
import type { RelayService } from '../service.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication hook, before the body is read. */
    principal: Principal;
  }
}

/** The agent's own routes. Each parses, calls one method of the service, and translates the answer. */
export function restRoutes(app: FastifyInstance, service: RelayService): void {
  // A single colon would make a parameter of what follows; then `/v1/inboxEVIL` would match too.
  app.post('/v1/inbox::pull', async (request, reply) => {
    const args = parse(PullInput, request.body ?? {});
    const result = await service.pull(request.principal, args, guardOf(request));
    return sendPage(reply, result);
  });

  app.post('/v1/inbox::open', async (request, reply) => {
    const { last_seen: lastSeen } = parse(OpenInput, request.body ?? {});
    const { itemsJson } = await service.open(request.principal, { lastSeen });
    return json(reply).send(`{"items":[${itemsJson.join(',')}]}`);
  });

  app.post('/v1/inbox/messages', async (request, reply) => {
    const sent = await service.send(request.principal, parse(SendInput, request.body ?? {}));
    return reply.code(sent.status).send(sent);
  });

  app.get('/v1/agents', async request => ({ agents: (await service.peers(request.principal)).map(peer) }));

  app.get('/v1/agents/me', async request => service.whoami(request.principal));
}

/** What agents may know of each other. */
export function peer({ agentId, handle, status, lastPulledAt, pending }: AgentInfo) {
  const lastPulled = lastPulledAt === null ? null : new Date(lastPulledAt).toISOString();
  return { agentId, handle, status, lastPulledAt: lastPulled, pending };
}

/** The stored items joined, never parsed: re-encoding them would cost more than all the rest (2.5 × the route). */
export function pageJson({ itemsJson, cursor, windowHigh, hasMore }: PullResult): string {
  return `{"items":[${itemsJson.join(',')}],"cursor":${cursor},"window_high":${windowHigh},"has_more":${hasMore}}`;
}

/** Epoch, window row and what became of the ack travel beside the seed's envelope, never in it (S000-20). */
function sendPage(reply: FastifyReply, result: PullResult): FastifyReply {
  const { epoch, windowRow, ack } = result;
  reply.header('preturn-epoch', epoch);
  if (windowRow !== undefined) reply.header('preturn-window-row', `${windowRow.seq}:${windowRow.id}`);
  if (ack !== undefined) reply.header('preturn-ack', ack);
  return json(reply).send(pageJson(result));
}

function json(reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8');
}

function guardOf(request: FastifyRequest): Guard {
  const epoch = single(request.headers['preturn-epoch']);
  const row = single(request.headers['preturn-ack-row']);
  return { ...(epoch && { epoch }), ...(row && { row: parseRow(row) }) };
}

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** `<seq>:<delivery id>`. Throws `bad_input`. */
export function parseRow(text: string): { seq: number; id: string } {
  const match = /^(\d{1,16}):([\x21-\x7e]{1,128})$/.exec(text);
  const seq = Number(match?.[1]);
  if (match === null || !Number.isSafeInteger(seq)) {
    throw failures.badInput('The row that guards an ack is not `<seq>:<delivery id>`.');
  }
  return { seq, id: match[2]! };
}
