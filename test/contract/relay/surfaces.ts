import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { PreturnError } from '../../../src/index.ts';
import type { Guard } from '../../../src/relay/pull.ts';
import type { RelayService } from '../../../src/relay/service.ts';

/** The wire item, as far as the tests look into it. */
export interface Item {
  readonly delivery_seq: number;
  readonly diff: {
    readonly diff_id: string;
    readonly origin_agent_id: string;
    readonly content: string;
    readonly scope: string;
    readonly tags: string[];
    readonly created_at: string;
    readonly metadata: Record<string, string>;
  };
  readonly delivery: { readonly delivery_id: string; readonly score: number; readonly delivered_at: string };
}

export interface Page {
  readonly items: Item[];
  readonly cursor: number;
  readonly window_high: number;
  readonly has_more: boolean;
}

export interface Pulled extends Page {
  readonly beside: { readonly epoch?: string; readonly windowRow?: string; readonly ack?: string };
}

/** One protocol face under test, spoken to as its clients do. Refusals become `Refusal` on every one. */
export interface Surface {
  readonly name: 'in-process' | 'rest' | 'mcp';
  pull(token: string, args: unknown, guard?: Guard): Promise<Pulled>;
  open(token: string, args: unknown): Promise<{ items: Item[] }>;
  send(token: string, args: unknown): Promise<{ status: number; duplicate: boolean; message: Record<string, string> }>;
  whoami(token: string): Promise<Record<string, string>>;
  peers(token: string): Promise<{ agents: Record<string, unknown>[] }>;
}

/** `code` is the closed error code; `shape` what the surface itself says: an HTTP status, or `isError`. */
export class Refusal extends Error {
  readonly code: string;
  readonly shape: string;
  constructor(code: string, shape: string, message: string) {
    super(message);
    this.code = code;
    this.shape = shape;
  }
}

export function inProcess(service: RelayService): Surface {
  const refusing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PreturnError) throw new Refusal(error.code, 'thrown', error.message);
      throw error;
    }
  };
  const items = (json: readonly string[]) => json.map(item => JSON.parse(item) as Item);
  return {
    name: 'in-process',
    pull: (token, args, guard = {}) =>
      refusing(async () => {
        const page = await service.pull(await service.authenticate(token), args as object, guard);
        return {
          items: items(page.itemsJson),
          cursor: page.cursor,
          window_high: page.windowHigh,
          has_more: page.hasMore,
          beside: {
            epoch: page.epoch,
            ...(page.windowRow && { windowRow: `${page.windowRow.seq}:${page.windowRow.id}` }),
            ...(page.ack && { ack: page.ack }),
          },
        };
      }),
    open: (token, args) =>
      refusing(async () => {
        const { last_seen: lastSeen } = args as { last_seen?: string };
        return { items: items((await service.open(await service.authenticate(token), { lastSeen })).itemsJson) };
      }),
    send: (token, args) =>
      refusing(async () => {
        const sent = await service.send(await service.authenticate(token), args as never);
        return { ...sent, message: sent.message as unknown as Record<string, string> };
      }),
    whoami: token => refusing(async () => service.whoami(await service.authenticate(token))),
    peers: token =>
      refusing(async () => ({ agents: (await service.peers(await service.authenticate(token))).map(a => ({ ...a })) })),
  };
}

export function rest(url: string): Surface {
  const call = async (token: string, method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as { error?: { message: string; details: { reason: string }[] } };
    if (json.error === undefined) return { json: json as unknown, headers: response.headers };
    throw new Refusal(json.error.details[0]?.reason.toLowerCase() ?? '', `HTTP ${response.status}`, json.error.message);
  };
  const result = async <T>(token: string, method: string, path: string, body?: unknown) =>
    (await call(token, method, path, body)).json as T;
  return {
    name: 'rest',
    async pull(token, args, guard = {}) {
      const { json, headers } = await call(token, 'POST', '/v1/inbox:pull', args, {
        ...(guard.epoch && { 'preturn-epoch': guard.epoch }),
        ...(guard.row && { 'preturn-ack-row': `${guard.row.seq}:${guard.row.id}` }),
      });
      const header = (name: string) => headers.get(name) ?? undefined;
      return {
        ...(json as Page),
        beside: strip({
          epoch: header('preturn-epoch'),
          windowRow: header('preturn-window-row'),
          ack: header('preturn-ack'),
        }),
      };
    },
    open: (token, args) => result(token, 'POST', '/v1/inbox:open', args),
    send: (token, args) => result(token, 'POST', '/v1/inbox/messages', args),
    whoami: token => result(token, 'GET', '/v1/agents/me'),
    peers: token => result(token, 'GET', '/v1/agents'),
  };
}

export interface ToolResult {
  readonly content: { readonly type: string; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, string>;
}

/** A fresh 2025-era client session; closed when its test ends. */
export async function mcpClient(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} },
  });
  // The SDK's own types do not hold under exactOptionalPropertyTypes.
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return client;
}

export function mcp(url: string): Surface {
  const clients = new Map<string, Promise<Client>>();
  const call = async (token: string, name: string, args: unknown, meta: Record<string, string> = {}) => {
    let client = clients.get(token);
    if (client === undefined) {
      client = mcpClient(url, token);
      clients.set(token, client);
    }
    let result: ToolResult;
    try {
      const connected = await client;
      result = (await connected.callTool({ name, arguments: args as never, _meta: meta })) as unknown as ToolResult;
    } catch (error) {
      clients.delete(token);
      // The transport reports an HTTP refusal as an error whose code is the status.
      const status = String((error as { code?: unknown }).code ?? '');
      if (status === '401' || /401|Unauthorized/.test(String(error))) {
        throw new Refusal('unauthenticated', 'HTTP 401', String(error));
      }
      throw error;
    }
    if (!result.isError) return result;
    const { code, message } = result.structuredContent.error as { code: string; message: string };
    throw new Refusal(code, 'isError', message);
  };
  const structured = async <T>(token: string, name: string, args: unknown) =>
    (await call(token, name, args)).structuredContent as T;
  return {
    name: 'mcp',
    async pull(token, args, guard = {}) {
      const result = await call(token, 'pull_inbox', args, {
        ...(guard.epoch && { 'preturn/epoch': guard.epoch }),
        ...(guard.row && { 'preturn/ack-row': `${guard.row.seq}:${guard.row.id}` }),
      });
      const meta = result._meta ?? {};
      return {
        ...(result.structuredContent as unknown as Page),
        beside: strip({
          epoch: meta['preturn/epoch'],
          windowRow: meta['preturn/window-row'],
          ack: meta['preturn/ack'],
        }),
      };
    },
    open: (token, args) => structured(token, 'inbox', args),
    send: (token, args) => structured(token, 'inbox_send', args),
    whoami: token => structured(token, 'whoami', {}),
    peers: token => structured(token, 'list_agents', {}),
  };
}

function strip<T extends Record<string, string | undefined>>(value: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as never;
}
