import type { FastifyInstance } from 'fastify';
import type { AgentInfo } from '../agents.ts';
import type { TokenInfo } from '../auth.ts';
import { demand } from '../principal.ts';
import { AddAgentInput, IssueTokenInput, parse } from '../schema.ts';
import type { RelayService } from '../service.ts';

/** Agents and tokens of the administrator's own tenant. Every route asks for the right `admin`. */
export function adminRoutes(app: FastifyInstance, service: RelayService, clock: () => number): void {
  app.addHook('preHandler', async request => {
    demand(request.principal, 'admin');
  });

  app.get('/v1/admin/agents', async request => ({
    agents: (await service.listAgents(request.principal.tenant)).map(agent),
  }));

  app.post('/v1/admin/agents', async (request, reply) => {
    const { ttlSeconds, ...input } = parse(AddAgentInput, request.body ?? {});
    const { tenant } = request.principal;
    reply.code(201);
    return service.addAgent({ ...input, tenant, expiresAt: expiry(ttlSeconds) });
  });

  app.delete<{ Params: { id: string } }>('/v1/admin/agents/:id', async request =>
    agent(await service.revokeAgent(request.params.id, request.principal.tenant)),
  );

  app.get<{ Params: { id: string } }>('/v1/admin/agents/:id/tokens', async request => ({
    tokens: (await service.listTokens(request.params.id, request.principal.tenant)).map(token),
  }));

  app.post<{ Params: { id: string } }>('/v1/admin/agents/:id/tokens', async (request, reply) => {
    const { ttlSeconds, ...input } = parse(IssueTokenInput, request.body ?? {});
    const { tenant } = request.principal;
    reply.code(201);
    return service.issueToken(request.params.id, { ...input, tenant, expiresAt: expiry(ttlSeconds) });
  });

  app.delete<{ Params: { id: string } }>('/v1/admin/tokens/:id', async request =>
    token(await service.revokeToken(request.params.id, request.principal.tenant)),
  );

  const expiry = (ttlSeconds: number | undefined) =>
    ttlSeconds === undefined ? undefined : clock() + ttlSeconds * 1000;
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function agent({ agentId, handle, tenant, status, readScopes, lastPulledAt, pending }: AgentInfo) {
  return { agentId, handle, tenant, status, readScopes, lastPulledAt: time(lastPulledAt), pending };
}

function token({ createdAt, expiresAt, revokedAt, ...info }: TokenInfo) {
  return { ...info, createdAt: time(createdAt), expiresAt: time(expiresAt), revokedAt: time(revokedAt) };
}
