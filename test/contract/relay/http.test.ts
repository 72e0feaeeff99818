import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRelay, PreturnError } from '../../../src/index.ts';
import { startRelay } from '../../helpers/relay.ts';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** Raw HTTP: `fetch` would not let a test set Host, nor keep a path as it is. */
async function http(
  url: string,
  { method = 'POST', path = '/v1/inbox:pull', headers = {}, body = '{}', token = '' } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        headers: {
          ...(method === 'POST' && body !== '' && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      response => {
        let text = '';
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
      },
    ).on('error', reject);
    sent.end(method === 'POST' && body !== '' ? body : undefined);
  });
}

const setUp = async () => {
  const { url, agents, relay } = await startRelay(['bob', { handle: 'root', rights: ['admin'] }]);
  const { token } = agents.bob;
  return { url, relay, token, root: agents.root.token, call: (options = {}) => http(url, { token, ...options }) };
};

describe('REST', () => {
  it('names the caller and the epoch on every pull, and the caller on errors too', async () => {
    const { relay, call } = await setUp();
    const { agentId } = await relay.service.actAs('bob');
    const page = await call();
    expect(page.headers).toMatchObject({
      'preturn-agent': agentId,
      'preturn-epoch': await relay.service.epoch(),
      'content-type': 'application/json; charset=utf-8',
    });
    expect((await call({ body: '{"ack":-1}' })).headers['preturn-agent']).toBe(agentId);
  });

  it('answers errors in the AIP-193 envelope, and never echoes a token', async () => {
    const { call, token } = await setUp();
    const cases: [Parameters<typeof call>[0], number, string, string][] = [
      [{ body: '{"ack":-1}' }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ body: '{"ack"' }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ body: '[]' }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ body: '{"__proto__":{"ack":1}}' }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ headers: { 'content-type': 'text/plain' } }, 415, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ headers: { 'preturn-ack-row': 'x' }, body: '{"ack":1}' }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ headers: { 'preturn-ack-row': '9007199254740993:x' } }, 400, 'INVALID_ARGUMENT', 'BAD_INPUT'],
      [{ token: 'prt_wrong' }, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
      [{ headers: { authorization: `Basic ${token}` } }, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
      [{ path: '/v1/admin/agents', method: 'GET' }, 403, 'PERMISSION_DENIED', 'FORBIDDEN'],
      [{ path: '/v1/nothing' }, 404, 'NOT_FOUND', 'NOT_FOUND'],
      [{ path: '/v1/inbox:pull', method: 'GET' }, 404, 'NOT_FOUND', 'NOT_FOUND'],
      [
        { path: '/v1/inbox/messages', body: '{"recipientAgentId":"x","kind":"ack","body":"x"}' },
        404,
        'NOT_FOUND',
        'RECIPIENT_NOT_FOUND',
      ],
      [{ body: ' '.repeat(131_073) }, 413, 'OUT_OF_RANGE', 'TOO_LARGE'],
    ];
    for (const [options, code, status, reason] of cases) {
      const answer = await call(options);
      const name = JSON.stringify(options).slice(0, 100);
      expect(answer.status, name).toBe(code);
      const { error } = JSON.parse(answer.body);
      expect(error, name).toMatchObject({ code, status, message: expect.stringMatching(/\.$/) });
      expect(error.details[0], name).toMatchObject({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'preturn',
      });
      expect(answer.headers['www-authenticate'], name).toBe(code === 401 ? 'Bearer' : undefined);
      expect(answer.body).not.toContain(token);
    }
  });

  it('a failure of the store is 503, one of ours is 500 and keeps its cause to itself', async () => {
    const { relay, call } = await setUp();
    await relay.service.store.db.schema.dropTable('deliveries').execute();
    const answer = await call();
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 500,
      status: 'INTERNAL',
      message: 'The relay failed.',
    });
  });

  it('a store that cannot be written is 503 without its path; a full inbox 429: both say when to try again', async () => {
    const { relay, call } = await setUp();
    const busy = new PreturnError('busy', 'The store /secret/path/relay.db is locked.', { hint: 'See /secret/path.' });
    const full = new PreturnError('pair_limit_exceeded', 'Too many.');
    for (const [thrown, status, retryAfter] of [
      [busy, 503, '1'],
      [full, 429, '60'],
      [new PreturnError('store_unavailable', 'The store /secret/path/relay.db is broken.'), 503, undefined],
    ] as const) {
      Object.assign(relay.service, { pull: () => Promise.reject(thrown) });
      const answer = await call();
      expect(answer.status).toBe(status);
      expect(answer.headers['retry-after']).toBe(retryAfter);
      expect(answer.body).not.toContain('/secret');
    }
  });

  it('an empty body is {}; a colon may be escaped once; look-alikes are 404', async () => {
    const { call } = await setUp();
    for (const options of [
      { body: '' },
      { body: '', headers: { 'content-length': 0 } },
      { body: '', headers: { 'content-length': 0, 'content-type': 'application/json' } },
      { path: '/v1/inbox%3Apull' },
      { path: '/v1/inbox%3apull' },
      { path: '/v1/inbox:pull?x=1' },
      { headers: { 'content-type': 'application/json; charset=utf-8' } },
    ]) {
      const { status, body } = await call(options);
      expect([status, body], JSON.stringify(options)).toEqual([
        200,
        '{"items":[],"cursor":0,"window_high":0,"has_more":false}',
      ]);
    }
    for (const path of ['/v1/inboxEVIL', '/v1/inbox%253Apull', '/v1/inbox:pull/', '/v1/inbox', '/v1/inbox:pul']) {
      expect((await call({ path })).status, path).toBe(404);
    }
  });

  it('/healthz needs no token', async () => {
    const { url } = await setUp();
    expect(await http(url, { method: 'GET', path: '/healthz' })).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    });
  });
});

describe('Host and Origin', () => {
  it.each(['/v1/inbox:pull', '/mcp', '/healthz'])('%s refuses an alien Host or Origin alone', async path => {
    const { call, url } = await setUp();
    const { port } = new URL(url);
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1.evil.example:${port}` },
      { origin: '' },
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: `127.0.0.1.evil.example:${port}` },
      { host: '192.168.1.5' },
    ]) {
      const answer = await call({ path, headers });
      expect(answer.status, JSON.stringify(headers)).toBe(403);
    }
  });

  it('accepts loopback names, and pages of this machine', async () => {
    const { call, url } = await setUp();
    const { port } = new URL(url);
    for (const headers of [
      { host: `localhost:${port}` },
      { host: `LOCALHOST:${port}` },
      { host: `[::1]:${port}` },
      { host: '127.0.0.1' },
      { origin: `http://127.0.0.1:${port}` },
      { origin: 'http://localhost:6274' },
    ]) {
      expect((await call({ headers })).status, JSON.stringify(headers)).toBe(200);
    }
  });

  it('listens on loopback unless told otherwise, and then serves addresses but no alien names', async () => {
    const relay = await createRelay({ allowedHosts: ['relay.example'] });
    await expect(relay.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'bad_input' });
    const { port } = await relay.listen({ host: '0.0.0.0', insecureHttp: true });
    const { token } = await relay.addAgent({ handle: 'bob' });
    const status = async (headers: object) => (await http(`http://127.0.0.1:${port}`, { token, headers })).status;
    expect(await status({ host: '10.0.0.7:7717' })).toBe(200);
    expect(await status({ host: 'relay.example' })).toBe(200);
    expect(await status({ host: 'relay.example', origin: 'https://relay.example' })).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ host: '10.0.0.7', origin: 'http://evil.example' })).toBe(403);
    await relay.close();
  });

  it('refuses stores it does not know', async () => {
    for (const store of ['mysql://x', 'sqlite:', 'relay.db', 'sqlite::memory:']) {
      await expect(createRelay({ store })).rejects.toMatchObject({ code: 'bad_input' });
    }
  });
});

describe('admin routes', () => {
  it('add, list and revoke agents and tokens of the administrator’s tenant', async () => {
    const { url, root, relay } = await setUp();
    const call = async (method: string, path: string, body?: object) => {
      const answer = await http(url, { method, path, token: root, body: JSON.stringify(body ?? {}) });
      return { status: answer.status, json: JSON.parse(answer.body) };
    };
    const added = await call('POST', '/v1/admin/agents', { handle: 'carol', readScopes: ['team'], label: 'laptop' });
    expect(added).toMatchObject({ status: 201, json: { handle: 'carol', token: expect.stringMatching(/^prt_/) } });
    const { agentId, token, tokenId } = added.json;
    expect((await http(url, { token })).status).toBe(200);

    const other = await call('POST', `/v1/admin/agents/${agentId}/tokens`, { rights: ['drain'], ttlSeconds: 60 });
    expect(other.status).toBe(201);
    const listed = (await call('GET', '/v1/admin/agents/carol/tokens')).json.tokens;
    expect(
      listed.map((t: { id: string; rights: string[]; label: string | null }) => [t.id, t.rights, t.label]),
    ).toEqual([
      [tokenId, ['drain', 'send'], 'laptop'],
      [other.json.tokenId, ['drain'], null],
    ]);
    expect(JSON.stringify(listed)).not.toContain('prt_');

    expect((await call('DELETE', `/v1/admin/tokens/${tokenId}`)).json.revokedAt).not.toBeNull();
    expect((await http(url, { token })).status).toBe(401);
    expect((await http(url, { token: other.json.token })).status).toBe(200);

    expect((await call('DELETE', '/v1/admin/agents/carol')).json).toMatchObject({ agentId, status: 'revoked' });
    expect((await http(url, { token: other.json.token })).status).toBe(401);
    const agents = (await call('GET', '/v1/admin/agents')).json.agents;
    expect(agents.map((a: { handle: string; status: string }) => [a.handle, a.status])).toEqual([
      ['bob', 'active'],
      ['carol', 'revoked'],
      ['root', 'active'],
    ]);

    const foreign = await relay.addAgent({ handle: 'foreign', tenant: 'other' });
    for (const [method, path] of [
      ['DELETE', `/v1/admin/agents/${foreign.agentId}`],
      ['DELETE', `/v1/admin/tokens/${foreign.tokenId}`],
      ['POST', `/v1/admin/agents/${foreign.agentId}/tokens`],
      ['GET', `/v1/admin/agents/${foreign.agentId}/tokens`],
      ['DELETE', '/v1/admin/agents/nobody'],
    ] as const) {
      expect((await call(method, path)).status, `${method} ${path}`).toBe(404);
    }
    expect((await call('POST', '/v1/admin/agents', { handle: 'carol' })).status).toBe(409);
    expect((await call('POST', '/v1/admin/agents', { handle: 'x', tenant: 'other' })).status).toBe(400);
  });

  it('every admin route asks for the right', async () => {
    const { call } = await setUp();
    for (const [method, path] of [
      ['GET', '/v1/admin/agents'],
      ['POST', '/v1/admin/agents'],
      ['DELETE', '/v1/admin/agents/bob'],
      ['GET', '/v1/admin/agents/bob/tokens'],
      ['POST', '/v1/admin/agents/bob/tokens'],
      ['DELETE', '/v1/admin/tokens/x'],
    ] as const) {
      expect((await call({ method, path })).status, `${method} ${path}`).toBe(403);
    }
  });
});
