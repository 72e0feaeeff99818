import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { relayFailures } from '../../messages-relay.ts';
import { LIMITS } from '../limits.ts';
import type { RelayService } from '../service.ts';
import type { HttpGuard } from './http-guard.ts';
import { mcpRoute } from './mcp.ts';
import { restRoutes } from './rest.ts';
import { adminRoutes } from './rest-admin.ts';
import { restError } from './rest-errors.ts';

export interface HttpOptions {
  readonly service: RelayService;
  /** Read on each request: the address is known only once the relay listens. */
  readonly guard: () => HttpGuard;
  readonly clock: () => number;
  /** This package's version, for MCP's `serverInfo`. */
  readonly version: string;
  readonly log?: FastifyBaseLogger | undefined;
}

/** The HTTP server of a relay, not yet listening. Without `log` it logs nothing: a logger costs the hot path. */
export function httpServer({ service, guard, clock, version, log }: HttpOptions): FastifyInstance {
  const app: FastifyInstance = Fastify({
    ...(log === undefined ? { logger: false } : { loggerInstance: log }),
    bodyLimit: LIMITS.requestBody,
    forceCloseConnections: true,
    // `/v1/inbox%3Apull` is the same address to many clients, but not to the router.
    rewriteUrl: request => (request.url ?? '/').replace(/^(\/v1\/[a-z]+)%3a/i, '$1:'),
  });
  bodies(app);
  app.addHook('onRequest', async request => guard().check(request.headers));
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = restError(error);
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(request => {
    throw relayFailures.routeNotFound(request.method, (request.url.split('?')[0] ?? '').slice(0, 200));
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.register(async scope => {
    authenticated(scope, service);
    restRoutes(scope, service);
    scope.register(async admin => adminRoutes(admin, service, clock));
    scope.register(async mcp => mcpRoute(mcp, service, version));
  });
  return app;
}

/** A body of no bytes is `{}`: every argument of the steady-state call is optional. */
function bodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, {});
    else parse(request, body as string, done);
  });
}

/** Before the body is read, so that nobody unknown makes us parse. */
export function authenticated(app: FastifyInstance, service: RelayService): void {
  app.addHook('onRequest', async (request, reply) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw relayFailures.noToken();
    request.principal = await service.authenticate(token);
    reply.header('preturn-agent', request.principal.agentId);
  });
}
