import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, request } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openRelayService } from '../../src/relay/service.ts';
import { HOOK, type Home, type HookInput, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

let home: Home;
let session: SimSession;

beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
  session = new SimSession(home.dir, 'claude-code', 0);
});

const prompt = (env: Record<string, string>, more: Partial<HookInput> = {}) => {
  session.nextTurn();
  return runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env, ...more });
};
const notice = (stdout: string) =>
  stdout === '' ? '' : ((JSON.parse(stdout) as { systemMessage?: string }).systemMessage ?? '');

async function serve(listener: RequestListener, port = 0, host = '127.0.0.1'): Promise<{ url: string; port: number }> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(port, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, port: bound };
}

describe('a relay in trouble: the turn runs, and the human sees one line when it begins and one when it ends', () => {
  const hung: RequestListener = () => {};
  const garbage: RequestListener = (_, response) => response.end('<html>welcome</html>');
  const absurd: RequestListener = (_, response) =>
    response.end(JSON.stringify({ items: [{ delivery_seq: 9 }], cursor: 3, window_high: 4, has_more: true }));
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  const refusing: RequestListener = (_, response) => response.writeHead(401).end();

  it.each([
    ['hung', hung, 'no answer', 600],
    ['dripping', drip, 'no answer', 600],
    ['garbage', garbage, 'not like a relay', 8000],
    ['absurd', absurd, 'not like a relay', 8000],
    ['refusing', refusing, 'refused the token', 8000],
  ] as const)('%s', async (_, listener, words, budgetMs) => {
    let answer: RequestListener = listener;
    const { url } = await serve((request, response) => answer(request, response));
    const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: 'x', PRETURN_BUDGET_MS: String(budgetMs) };
    const began = Date.now();
    const first = await prompt(env);
    // The rest is for a machine that does ten things at once.
    expect(Date.now() - began).toBeLessThan(budgetMs + 10_000);
    expect([first.code, first.stderr, injected(first.stdout)]).toEqual([0, '', undefined]);
    expect(notice(first.stdout)).toContain(words);
    expect((await prompt(env)).stdout).toBe('');
    env.PRETURN_BUDGET_MS = '8000';
    answer = (_request, response) =>
      response.end(JSON.stringify({ items: [], cursor: 0, window_high: 0, has_more: false }));
    // The breaker is open after two failures; its time is in the journal.
    const journal = join(home.dir, 'state', 'inboxes');
    const file = join(journal, readdirSync(journal)[0]!, 'journal.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    expect(state.health.openUntil).toBeGreaterThan(Date.now());
    writeFileSync(file, JSON.stringify({ ...state, health: { ...state.health, openUntil: 0 } }));
    expect(notice((await prompt(env)).stdout)).toContain('answers again');
    expect((await prompt(env)).stdout).toBe('');
  });

  it('gone', async () => {
    const { url, port } = await serve(hung);
    const env = { ...home.env, PRETURN_URL: `http://127.0.0.1:${port === 9 ? 10 : 9}`, PRETURN_TOKEN: 'x' };
    expect(url).not.toBe(env.PRETURN_URL);
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
    expect((await prompt(env)).stdout).toBe('');
  });
});

describe('addresses', () => {
  it.each(['127.0.0.1', '::1'])('localhost finds a relay that listens on %s alone', async host => {
    const has = Object.values(networkInterfaces())
      .flat()
      .some(address => address?.address === host);
    if (!has) return expect(host, 'this machine has no IPv6 loopback').toBe('::1');
    const seen: string[] = [];
    const server = createServer((incoming, response) => {
      seen.push(incoming.headers.host ?? '');
      response.end(JSON.stringify({ items: [], cursor: 0, window_high: 0, has_more: false }));
    });
    await new Promise<void>(resolve => server.listen(0, host, resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const run = await prompt({ ...home.env, PRETURN_URL: `http://localhost:${port}`, PRETURN_TOKEN: 'x' });
    expect([run.stdout, seen]).toEqual(['', [`localhost:${port}`]]);
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  it.skipIf(!openssl)(
    'https with a private authority by PRETURN_CA_FILE, and not without (needs the openssl command)',
    async () => {
      const key = join(home.dir, 'key.pem');
      const cert = join(home.dir, 'cert.pem');
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-days',
          '2',
          '-subj',
          '/CN=localhost',
          '-addext',
          'subjectAltName=DNS:localhost,IP:127.0.0.1',
          '-keyout',
          key,
          '-out',
          cert,
        ],
        { stdio: 'ignore' },
      );
      const { port, agents } = await startRelay(['bob']);
      const server = createTls({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
        incoming.pipe(
          request(
            {
              port,
              path: incoming.url,
              method: incoming.method,
              headers: { ...incoming.headers, host: `127.0.0.1:${port}` },
            },
            reply => {
              response.writeHead(reply.statusCode ?? 500, reply.headers);
              reply.pipe(response);
            },
          ),
        );
      });
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const env = {
        ...home.env,
        PRETURN_URL: `https://localhost:${(server.address() as AddressInfo).port}`,
        PRETURN_TOKEN: agents.bob.token,
        PRETURN_BUDGET_MS: '8000',
      };
      expect((await prompt({ ...env, PRETURN_CA_FILE: cert })).stdout).toBe('');
      expect(notice((await prompt(env)).stdout)).toContain('no answer');
    },
  );

  it('goes through HTTP_PROXY for a far host, not for NO_PROXY, and never for loopback', async () => {
    const { relay, port, agents } = await startRelay(['bob']);
    await relay.service.deliver({ recipient: 'bob', content: 'through the proxy' });
    const asked: string[] = [];
    const proxy = createServer();
    // undici tunnels every request; the proxy decides where the made-up host is.
    proxy.on('connect', (incoming, socket) => {
      asked.push(incoming.url ?? '');
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        far.pipe(socket).pipe(far);
      });
      far.on('error', () => socket.destroy());
      socket.on('error', () => far.destroy());
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const env = {
      ...home.env,
      PRETURN_TOKEN: agents.bob.token,
      PRETURN_BUDGET_MS: '8000',
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    };
    const far = `http://localhost.test:${port}`;
    const through = await prompt({ ...env, PRETURN_URL: far });
    expect(asked).toEqual([`localhost.test:${port}`]);
    // The relay serves loopback names alone, and says so: the request did arrive.
    expect(notice(through.stdout)).toContain('refused');
    await prompt({ ...env, PRETURN_URL: far, NO_PROXY: '.test' });
    expect(asked).toHaveLength(1);
    const near = await prompt({ ...env, PRETURN_URL: `http://127.0.0.1:${port}` });
    expect(injected(near.stdout)).toContain('through the proxy');
    expect(asked).toHaveLength(1);
  });
});

describe('file:', () => {
  async function store() {
    const path = join(home.dir, 'relay.db');
    const service = await openRelayService({ path });
    onTestFinished(() => service.close());
    await service.addAgent({ handle: 'bob' });
    const env = { ...home.env, PRETURN_URL: `file:${path}`, PRETURN_AGENT: 'bob', PRETURN_BUDGET_MS: '8000' };
    return { path, service, env };
  }
  /** Older than any clock tick: what was written is told apart from what will be. */
  const settle = () => new Promise(resolve => setTimeout(resolve, 250));

  it('does not even load the database while the file is as it was when the inbox was empty', async () => {
    const { service, env } = await store();
    const hooks = join(home.dir, 'hooks');
    cpSync(dirname(HOOK), hooks, { recursive: true });
    const run = (stdin: object) =>
      spawnSync(process.execPath, [join(hooks, 'pre-turn.cjs')], {
        env,
        input: JSON.stringify(stdin),
        encoding: 'utf8',
      });
    const once = () => {
      session.nextTurn();
      return run(session.stdin('UserPromptSubmit'));
    };
    const log = () =>
      readFileSync(join(home.dir, 'state', 'turns.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .at(-1)!;
    // The copy has no node_modules of its own: the library is found through packageDir.
    mkdirSync(join(home.dir, 'config'), { recursive: true });
    writeFileSync(join(home.dir, 'config', 'config.json'), JSON.stringify({ packageDir: dirname(dirname(HOOK)) }));
    await settle();
    expect(once().stdout).toBe('');
    expect(log()).toContain('"drained"');
    rmSync(join(hooks, 'pre-turn.file.cjs'));
    writeFileSync(join(home.dir, 'config', 'config.json'), '{}');
    await settle();
    expect(once().stdout).toBe('');
    expect(log()).toContain('"unchanged"');
    await service.deliver({ recipient: 'bob', content: 'now' });
    expect(notice(once().stdout)).toContain('no answer');
  });

  it('notices every write, also one right after the inbox was found empty', async () => {
    const { service, env } = await store();
    for (let i = 0; i < 5; i++) {
      expect((await prompt(env)).stdout).toBe('');
      await service.deliver({ recipient: 'bob', content: `mail ${i}` });
      const run = await prompt(env);
      expect(injected(run.stdout)).toContain(`mail ${i}`);
      session.receive(run.stdout, 'given');
      session.answer();
      await runBuiltHook({ stdin: session.stdin('Stop'), env });
    }
  });

  it.each([
    ['a missing file', (path: string) => `${path}.not-here`, 'bob', 'no answer'],
    ['an unknown identity', (path: string) => path, 'nobody', 'refused'],
  ])('%s is one line, once', async (_, where, agent, words) => {
    const { path, env } = await store();
    const broken = { ...env, PRETURN_URL: `file:${where(path)}`, PRETURN_AGENT: agent };
    expect(notice((await prompt(broken)).stdout)).toContain(words);
    expect((await prompt(broken)).stdout).toBe('');
    expect(existsSync(`${path}.not-here`)).toBe(false);
  });
});

describe('this machine in trouble', () => {
  it('prints nothing when the state cannot be written, for then nothing can be proven', async () => {
    const { relay, url, agents } = await startRelay(['bob']);
    await relay.service.deliver({ recipient: 'bob', content: 'waits' });
    writeFileSync(join(home.dir, 'state'), 'a file where the directory should be');
    const run = await prompt({ ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token });
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', '']);
  });

  it('tells a broken configuration once', async () => {
    mkdirSync(join(home.dir, 'config'), { recursive: true });
    writeFileSync(join(home.dir, 'config', 'config.json'), '{"budgetMs": "soon"}');
    expect(notice((await prompt(home.env)).stdout)).toContain('configuration is not valid');
    expect((await prompt(home.env)).stdout).toBe('');
    writeFileSync(join(home.dir, 'config', 'config.json'), '{}');
    expect((await prompt(home.env)).stdout).toBe('');
  });

  it('runs from source when the compiled code is damaged, stale or nobody’s', async () => {
    const { relay, url, agents } = await startRelay(['bob']);
    const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' };
    await prompt(env);
    const code = join(home.dir, 'state', 'code');
    const [name] = readdirSync(code);
    const bytes = readFileSync(join(code, name!));
    for (const damaged of [bytes.subarray(0, 100), Buffer.alloc(bytes.length, 7), Buffer.alloc(0)]) {
      writeFileSync(join(code, name!), damaged);
      await relay.service.deliver({ recipient: 'bob', content: 'still here' });
      const run = await prompt(env);
      expect([run.code, run.stderr]).toEqual([0, '']);
      expect(injected(run.stdout)).toContain('still here');
      expect(statSync(join(code, name!)).size).toBeGreaterThan(1000);
    }
  });

  it('does not wait for a transcript that is a pipe nobody writes', async () => {
    const { relay, url, agents } = await startRelay(['bob']);
    const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '5000' };
    await relay.service.deliver({ recipient: 'bob', content: 'one' });
    const pipe = join(home.dir, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    for (let i = 0; i < 2; i++) {
      session.nextTurn();
      const stdin = { ...session.stdin('UserPromptSubmit'), transcript_path: pipe };
      expect(injected((await runBuiltHook({ stdin, env })).stdout)).toContain('one');
    }
  });
});
