import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../principal.ts';
import type { Guard } from '../pull.ts';
import { OpenInput, PullInput, parse, SendInput } from '../schema.ts';
import type { RelayService } from '../service.ts';
import { beside, openJson, pageJson, parseRow, peer } from './wire.ts';

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
    for (const [name, value] of Object.entries(beside(result))) reply.header(`preturn-${name}`, value);
    return json(reply).send(pageJson(result));
  });

  app.post('/v1/inbox::open', async (request, reply) => {
    const { last_seen: lastSeen } = parse(OpenInput, request.body ?? {});
    return json(reply).send(openJson(await service.open(request.principal, { lastSeen })));
  });

  app.post('/v1/inbox/messages', async (request, reply) => {
    const sent = await service.send(request.principal, parse(SendInput, request.body ?? {}));
    return reply.code(sent.status).send(sent);
  });

  app.get('/v1/agents', async request => ({ agents: (await service.peers(request.principal)).map(peer) }));

  app.get('/v1/agents/me', async request => service.whoami(request.principal));
}

function json(reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8');
}

function guardOf({ headers }: FastifyRequest): Guard {
  const epoch = headers['preturn-epoch'];
  const row = headers['preturn-ack-row'];
  return {
    ...(typeof epoch === 'string' && { epoch }),
    ...(typeof row === 'string' && { row: parseRow(row) }),
  };
}
