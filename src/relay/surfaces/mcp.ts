import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { relayFailures } from '../../messages-relay.ts';
import type { Principal } from '../principal.ts';
import type { RelayService } from '../service.ts';
import { mcpServer } from './mcp-server.ts';
import { restError } from './rest-errors.ts';

/**
 * MCP over streamable HTTP at `/mcp`, without sessions: 2025-era clients (initialize) and 2026-07-28 clients
 * (server/discover) alike. The identity is the bearer token's, checked on every request before the body is read.
 */
export function mcpRoute(app: FastifyInstance, service: RelayService, version: string): void {
  const onerror = (error: unknown) => app.log.error({ err: error }, 'mcp');
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const principal = authInfo?.extra?.principal as Principal | undefined;
      if (principal === undefined) throw relayFailures.noToken();
      return mcpServer({ service, version, onerror, principal: async () => principal });
    },
    { onerror: error => app.log.debug({ err: error }, 'mcp') },
  );
  const node = toNodeHandler(handler, { onerror });
  app.addHook('onClose', () => handler.close());

  // What fails before the protocol begins (no JSON, too large) is still answered in its envelope.
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = restError(error);
    const code = (error as { code?: unknown }).code === 'FST_ERR_CTP_INVALID_JSON_BODY' ? -32_700 : -32_600;
    return reply
      .code(status)
      .headers(headers)
      .send({ jsonrpc: '2.0', error: { code, message: body.error.message }, id: null });
  });

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    async handler(request, reply) {
      const { principal } = request;
      const auth: AuthInfo = { token: '', clientId: principal.agentId, scopes: [], extra: { principal } };
      reply.raw.setHeader('preturn-agent', principal.agentId);
      reply.hijack();
      await node(Object.assign(request.raw, { auth }) as NodeIncomingMessageLike, reply.raw, request.body);
    },
  });
}
