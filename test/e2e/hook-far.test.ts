import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

/** A relay behind TLS and behind a proxy that alone knows where `relay.test` is. No name is looked up, no network used. */
const openssl = spawnSync('openssl', ['version']).status === 0;
const ipv6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === '::1'));

let home: Home;
let session: SimSession;
beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
  session = new SimSession(home.dir, 'codex', 0);
});

const prompt = (env: Record<string, string>) => {
  session.nextTurn();
  return runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
};
const notice = (stdout: string) => (JSON.parse(stdout || '{}') as { systemMessage?: string }).systemMessage ?? '';

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A certificate of our own for these names, two days long; the paths of key and certificate. */
function certificate(names: string): { key: string; cert: string } {
  const key = join(home.dir, 'key.pem');
  const cert = join(home.dir, 'cert.pem');
  const kind = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test';
  execFileSync(
    'openssl',
    ['req', '-x509', ...kind.split(' '), '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  return { key, cert };
}

/** TLS in front of the relay; it serves loopback names alone, so the name is changed on the way. */
async function tlsRelay(names: string, host?: string) {
  const { relay, port, agents } = await startRelay(['bob']);
  await relay.service.deliver({ recipient: 'bob', content: 'from afar' });
  const { key, cert } = certificate(names);
  const server = createTls({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
    const onward = request({ port, path: incoming.url, method: incoming.method, headers }, reply => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    incoming.pipe(onward);
  });
  const me = await relay.service.actAs('bob');
  return {
    cert,
    port: await listen(server as unknown as Server, host),
    env: { ...home.env, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '9000' },
    cursor: async () => (await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor,
  };
}

/** A CONNECT proxy; what it was asked for, with the credentials it was given. */
async function connectProxy(to: number) {
  const asked: Array<{ target: string | undefined; credentials: string | undefined }> = [];
  const proxy = createServer();
  proxy.on('connect', (incoming, socket) => {
    asked.push({ target: incoming.url, credentials: incoming.headers['proxy-authorization'] });
    const far = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  return { asked, port: await listen(proxy) };
}

describe.skipIf(!openssl)('https (needs the openssl command)', () => {
  it('through HTTPS_PROXY to a host that only the proxy can find: shown, proven, acknowledged', async () => {
    const far = await tlsRelay('DNS:relay.test');
    const { asked, port } = await connectProxy(far.port);
    const env = {
      ...far.env,
      PRETURN_URL: 'https://relay.test',
      PRETURN_CA_FILE: far.cert,
      HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${port}`,
    };
    const run = await prompt(env);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(injected(run.stdout)).toContain('from afar');
    session.receive(run.stdout, 'given');
    session.answer();
    expect((await runBuiltHook({ stdin: session.stdin('Stop'), env })).stdout).toBe('');
    expect(await far.cursor()).toBe(1);
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(asked).toEqual(Array(2).fill({ target: 'relay.test:443', credentials }));
  });

  it('a certificate for another name is refused, also behind the proxy', async () => {
    const far = await tlsRelay('DNS:other.test');
    const { port } = await connectProxy(far.port);
    const env = {
      ...far.env,
      PRETURN_URL: 'https://relay.test',
      PRETURN_CA_FILE: far.cert,
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
    };
    const run = await prompt(env);
    expect([injected(run.stdout), notice(run.stdout)]).toEqual([undefined, expect.stringContaining('no answer')]);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', ipv6],
  ])('localhost on %s alone: the certificate is asked for the name localhost', async (host, has) => {
    if (!has) return expect(ipv6, 'this machine has no IPv6 loopback').toBe(false);
    const far = await tlsRelay('DNS:localhost', host);
    const env = { ...far.env, PRETURN_URL: `https://localhost:${far.port}`, PRETURN_CA_FILE: far.cert };
    expect(injected((await prompt(env)).stdout)).toContain('from afar');
  });

  it('a CA file that is not there is one line, once', async () => {
    const far = await tlsRelay('DNS:localhost');
    const env = { ...far.env, PRETURN_URL: `https://localhost:${far.port}`, PRETURN_CA_FILE: join(home.dir, 'no.pem') };
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
    expect(await prompt(env)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });
});

describe('a proxy in trouble', () => {
  it.each([
    ['gone', 'http://127.0.0.1:9'],
    ['no URL', 'http://[nonsense'],
    ['of a kind nobody speaks', 'socks5://127.0.0.1:9'],
  ])('%s: one line, once', async (_, proxy) => {
    const env = { ...home.env, PRETURN_URL: 'http://relay.test', PRETURN_TOKEN: 'x', HTTP_PROXY: proxy };
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
    expect(await prompt(env)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  it('that refuses the tunnel', async () => {
    const proxy = createServer();
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    const env = {
      ...home.env,
      PRETURN_URL: 'http://relay.test',
      PRETURN_TOKEN: 'x',
      HTTP_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    };
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
  });

  it('that takes the tunnel and is silent: inside the budget', async () => {
    const proxy = createServer();
    proxy.on('connect', (_, socket) => void socket.on('error', () => {}));
    const env = {
      ...home.env,
      PRETURN_URL: 'http://relay.test',
      PRETURN_TOKEN: 'x',
      PRETURN_BUDGET_MS: '800',
      HTTP_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    };
    const began = Date.now();
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
    // The budget is 0.8 s; the rest is for a machine that does ten things at once.
    expect(Date.now() - began).toBeLessThan(10_000);
  });
});
