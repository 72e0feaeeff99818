import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { relayFailures } from '../messages-relay.ts';
import type { AddedAgent, NewAgent } from './agents.ts';
import { openRelayService, type RelayService } from './service.ts';
import { httpServer } from './surfaces/http.ts';
import { httpGuard, isLoopback } from './surfaces/http-guard.ts';

export interface RelayOptions {
  /** `:memory:` (default) or `sqlite:/path/to/relay.db`. */
  readonly store?: string | undefined;
  /** `pull.max_batch`: rows a pull examines at most. Default 200. */
  readonly maxBatch?: number | undefined;
  /** UTF-8 bytes of one window at most. Default 512 KB. */
  readonly windowBytes?: number | undefined;
  /** Epoch ms; default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** A pino logger. Default: none. Tokens are never logged. */
  readonly log?: FastifyBaseLogger | undefined;
  /** Host names to serve beside loopback and address literals. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Allows a host that is not loopback, over plain HTTP. */
  readonly insecureHttp?: boolean | undefined;
}

export interface Relay {
  readonly service: RelayService;
  addAgent(agent: NewAgent): Promise<AddedAgent>;
  /** Throws `bad_input` for a host that is not loopback without `insecureHttp`. */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly port: number }>;
  /** Ends open requests and closes the store. */
  close(): Promise<void>;
}

/** A relay in this process. It serves nothing until `listen`; `service` works at once. */
export async function createRelay(options: RelayOptions = {}): Promise<Relay> {
  const { store = ':memory:', maxBatch, windowBytes, clock = Date.now } = options;
  const service = await openRelayService({ path: storePath(store), maxBatch, windowBytes, clock });
  let guard = httpGuard(true, options.allowedHosts);
  const app = httpServer({ service, clock, version: packageVersion(), log: options.log, guard: () => guard });
  return {
    service,
    addAgent: agent => service.addAgent(agent),
    async listen({ host = '127.0.0.1', port = 0, insecureHttp = false } = {}) {
      const loopback = isLoopback(host);
      if (!loopback && !insecureHttp) throw relayFailures.publicBind(host);
      guard = httpGuard(loopback, options.allowedHosts);
      await app.listen({ host, port });
      const address = app.server.address() as AddressInfo;
      const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return { url: `http://${shown}:${address.port}`, port: address.port };
    },
    async close() {
      await app.close();
      await service.close();
    },
  };
}

function storePath(store: string): string {
  if (store === ':memory:') return store;
  const path = store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : '';
  if (path === '' || path === ':memory:') throw relayFailures.storeName(store);
  return path;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
