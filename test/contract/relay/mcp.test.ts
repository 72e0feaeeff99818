import { describe, expect, it } from 'vitest';
import { mcpClient } from './surfaces.ts';
import { world } from './world.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a model must be told of when to call (S000-56, S003, S004-05, -18, P3.6), by tool. */
const ADVICE: Record<string, RegExp[]> = {
  pull_inbox: [
    /cannot durably store a watermark/,
    /start of a turn/,
    /largest sequence all of whose items/,
    /window_high/,
  ],
  inbox: [/time-bounded replay/, /advances nothing/, /pull_inbox/],
  inbox_send: [/no view of your session/, /never wakes/, /messageId/, /never waits for a reply/],
  whoami: [/agent id/, /peer/],
  list_agents: [/before `inbox_send`/],
};

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
};

/** A 2026-07-28 request: no session, everything in one POST. */
async function modern(url: string, token: string, method: string, params: object = {}, name?: string) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }),
  });
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
}

describe('MCP', () => {
  it('lists the tools with the hints of their pages, strict schemas and advice on when to call', async () => {
    const w = await world('mcp');
    const { tools } = await (await mcpClient(w.url, w.bob.token)).listTools();
    const hints = Object.fromEntries(tools.map(t => [t.name, HINTS.map(h => t.annotations?.[h])]));
    expect(hints).toEqual({
      pull_inbox: [false, false, false, false],
      inbox: [true, false, true, false],
      inbox_send: [false, false, false, false],
      whoami: [true, false, true, false],
      list_agents: [true, false, true, false],
    });
    for (const { name, description, inputSchema } of tools) {
      for (const advice of ADVICE[name]!) expect(description, name).toMatch(advice);
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
    }
    const properties = (name: string) => Object.keys(tools.find(t => t.name === name)!.inputSchema.properties ?? {});
    expect(properties('pull_inbox')).toEqual(['since', 'ack', 'limit']);
    expect(properties('inbox')).toEqual(['last_seen']);
    expect(tools.find(t => t.name === 'pull_inbox')!.inputSchema.required).toBeUndefined();
  });

  it('serves 2026-07-28 clients without a session', async () => {
    const w = await world('mcp');
    await w.fill(2);
    const discovered = await modern(w.url, w.bob.token, 'server/discover');
    expect(discovered.json.result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    const listed = await modern(w.url, w.bob.token, 'tools/list');
    expect(listed.json.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' });
    expect(listed.json.result.tools.map((t: { name: string }) => t.name)).toEqual(Object.keys(ADVICE));
    const call = (args: object) =>
      modern(w.url, w.bob.token, 'tools/call', { name: 'pull_inbox', arguments: args }, 'pull_inbox');
    const page = await call({ ack: 1 });
    expect(page.headers.get('preturn-agent')).toBe(w.bob.agentId);
    expect(page.json.result).toMatchObject({
      isError: false,
      structuredContent: { cursor: 1, window_high: 2, has_more: false },
      _meta: { 'preturn/epoch': await w.service.epoch(), 'preturn/ack': 'applied' },
    });
    expect(JSON.parse(page.json.result.content[0].text)).toEqual(page.json.result.structuredContent);
    expect((await call({ agent_id: 'x' })).json.result.isError).toBe(true);
    const unknown = await modern(w.url, w.bob.token, 'tools/call', { name: 'nope', arguments: {} }, 'nope');
    expect(unknown.json.error.code).toBe(-32_602);
    const mismatch = await modern(w.url, w.bob.token, 'tools/call', { name: 'pull_inbox', arguments: {} }, 'inbox');
    expect([mismatch.status, mismatch.json.error.code]).toEqual([400, -32_020]);
  });

  it('an error is a result that a model can read: code, message and what to do', async () => {
    const w = await world('mcp');
    const client = await mcpClient(w.url, w.bob.token);
    const result = await client.callTool({
      name: 'inbox_send',
      arguments: { recipientAgentId: 'nobody', kind: 'ack', body: 'x' },
    });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'recipient_not_found', message: expect.any(String), hint: expect.any(String) },
      },
    });
    const [text] = result.content as { text: string }[];
    expect(JSON.parse(text!.text)).toEqual(result.structuredContent);
  });

  it('refuses in JSON-RPC’s envelope what it cannot read, and GET and DELETE without sessions', async () => {
    const w = await world('mcp');
    const call = async (init: RequestInit) => {
      const response = await fetch(`${w.url}/mcp`, {
        ...init,
        headers: {
          authorization: `Bearer ${w.bob.token}`,
          accept: 'application/json, text/event-stream',
          ...(init.body !== undefined && { 'content-type': 'application/json' }),
        },
      });
      const { error } = (await response.json()) as { error: { code: number } };
      return [response.status, error.code];
    };
    expect(await call({ method: 'POST', body: '{"jsonrpc"' })).toEqual([400, -32_700]);
    expect((await call({ method: 'POST', body: '{}' }))[0]).toBe(400);
    expect((await call({ method: 'POST', body: `"${'x'.repeat(140_000)}"` }))[0]).toBe(413);
    expect((await call({ method: 'GET' }))[0]).toBe(405);
    expect((await call({ method: 'DELETE' }))[0]).toBe(405);
  });

  it('a revocation holds from the next call of a living session on', async () => {
    const w = await world('mcp');
    const client = await mcpClient(w.url, w.bob.token);
    await client.callTool({ name: 'whoami', arguments: {} });
    await w.service.revokeAgent('bob');
    await expect(client.callTool({ name: 'whoami', arguments: {} })).rejects.toThrow();
  });
});
