import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiCall, callApi } from '../../../src/lib/api.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const call = (url: string, more: Partial<ApiCall> = {}) =>
  callApi({ url, method: 'GET', path: '/v1/agents/me', token: 'tok', env: {}, ...more });

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

test('sends token and body below the address’s own path, and gives the parsed answer', async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push([request.method, request.url, request.headers.authorization, body]);
      response.end('{"ok":true}');
    });
  });
  expect(await call(`${url}/relay/`, { method: 'POST', path: '/v1/x', body: { a: 1 } })).toEqual({ ok: true });
  expect(seen).toEqual([['POST', '/relay/v1/x', 'Bearer tok', '{"a":1}']]);
});

test.each([
  ['a web page', 200, '<html>', 'bad_reply'],
  ['an unknown route', 404, 'not found', 'bad_reply'],
  ['a redirect', 302, '', 'bad_reply'],
  ['a refused token', 401, 'nope', 'unauthenticated'],
  ['a refused token in JSON', 401, '{"error":{}}', 'unauthenticated'],
  ['a forbidden page', 403, '{}', 'forbidden'],
  ['a server error', 500, '{"error":"boom"}', 'bad_reply'],
])('%s', async (_, status, body, code) => {
  const url = await serve(answer(status, body, { location: 'http://127.0.0.1:1/' }));
  await expect(call(url)).rejects.toMatchObject({ code });
});

test('the relay’s own error keeps its code, message and hint, sanitised', async () => {
  const details = [{ reason: 'RECIPIENT_INBOX_FULL', metadata: { hint: 'Wait.\n\x1b[2J' } }];
  const url = await serve(answer(429, JSON.stringify({ error: { message: 'It is full\u202e.', details } })));
  await expect(call(url)).rejects.toMatchObject({
    code: 'recipient_inbox_full',
    message: 'It is full.',
    hint: 'Wait.',
  });
});

test('an unknown reason is not trusted to be one of ours', async () => {
  const error = { message: 'x', details: [{ reason: 'CONSTRUCTOR' }] };
  const url = await serve(answer(400, JSON.stringify({ error })));
  await expect(call(url)).rejects.toMatchObject({ code: 'bad_reply' });
});

test('nobody listens', async () => {
  await expect(call('http://127.0.0.1:1')).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/ECONNREFUSED/),
  });
});

test('no answer in time', async () => {
  const url = await serve(() => {});
  await expect(call(url, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
});

test('an endless answer is cut off', async () => {
  const url = await serve((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const more = () => {
      while (!response.destroyed && response.write(chunk)) {}
    };
    response.on('drain', more);
    more();
  });
  await expect(call(url)).rejects.toMatchObject({ code: 'too_large' });
});

test('a proxy is used beyond this machine and never for loopback', async () => {
  const url = await serve(answer(200, '{"by":"relay"}'));
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, client) => {
    tunnels.push(request.url ?? '');
    const upstream = connect(Number(new URL(url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
  });
  const env = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  expect(await call(url, { env })).toEqual({ by: 'relay' });
  expect(tunnels).toEqual([]);
  expect(await call('http://relay.invalid', { env })).toEqual({ by: 'relay' });
  expect(tunnels).toEqual(['relay.invalid:80']);
});

test('a missing CA file is a fault of the configuration', async () => {
  await expect(call('https://127.0.0.1:1', { caFile: '/nowhere.pem' })).rejects.toMatchObject({
    code: 'config_invalid',
  });
});
