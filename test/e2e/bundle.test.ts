import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUNDLES, type BundleSpec, bundle } from '../../src/build/bundle.mjs';
import { openRelayService } from '../../src/relay/service.ts';
import { injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { packageOf, ROOT } from '../helpers/imports.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

/** The files that every turn loads may have this many bytes together. */
const MAX_BYTES = 60 * 1024;
const EVERY_TURN = ['hooks/pre-turn.cjs', 'hooks/pre-turn.main.cjs'];

/** Packages inside each bundle; the files of every turn hold none, so no undici, zod, conf, ajv, commander or MCP SDK. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'hooks/pre-turn.cjs': [],
  'hooks/pre-turn.main.cjs': [],
  'hooks/pre-turn.proxy.cjs': ['undici'],
  'hooks/pre-turn.file.cjs': ['kysely', 'libsql'],
};

/** Sources that no file of every turn may hold: they are for the command line and the relay. */
const FOREIGN =
  /^src\/(commands|relay|cli|messages-(cli|doctor|relay|says)|config\/(edit|credentials|trust-compile)|lib\/(api|proxy)\.)/;

const committed = (out: string) => readFileSync(join(ROOT, out));
const inputsOf = async (spec: BundleSpec) => Object.keys((await bundle(spec)).metafile.inputs);

describe.each(BUNDLES)('$out', spec => {
  it('is what its sources build, byte for byte', async () => {
    const { outputFiles } = await bundle(spec);
    const same = committed(spec.out).equals(Buffer.from(outputFiles[0]!.contents));
    expect(same, `${spec.out} is stale: run \`npm run build\` and commit it`).toBe(true);
    expect(statSync(join(ROOT, spec.out)).mode & 0o111, 'executable').toBe(spec.executable ? 0o111 : 0);
  });

  it('holds these packages and no other', async () => {
    const packages = (await inputsOf(spec)).filter(path => path.includes('node_modules/')).map(packageOf);
    expect([...new Set(packages)].sort()).toEqual(PACKAGES[spec.out]);
  });

  it('is ASCII, because it is read as Latin-1 to be compiled', () => {
    expect(committed(spec.out).findIndex(byte => byte > 0x7f)).toBe(-1);
  });
});

describe('the files of every turn', () => {
  it(`have at most ${MAX_BYTES} bytes together`, () => {
    const bytes = EVERY_TURN.reduce((sum, out) => sum + committed(out).length, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('hold nothing of the command line or the relay', async () => {
    const inputs = await Promise.all(BUNDLES.filter(({ out }) => EVERY_TURN.includes(out)).map(inputsOf));
    expect(inputs.flat().filter(path => FOREIGN.test(path))).toEqual([]);
  });
});

describe('the built-in modules that a whole turn loads', () => {
  const preload = fileURLToPath(new URL('../helpers/module-list.cjs', import.meta.url));

  /** Runs two turns, the first with mail and the second from the compiled code, and lists what they loaded. */
  async function turn(extra: Readonly<Record<string, string>>, wanted: string): Promise<string[]> {
    const home = makeHome(extra);
    onTestFinished(() => home.remove());
    const lists = [0, 1].map(index => join(home.dir, `modules-${index}`));
    for (const [index, list] of lists.entries()) {
      const options = { NODE_OPTIONS: `--require "${preload}"`, MODULE_LIST: list, PRETURN_BUDGET_MS: '10000' };
      const session = new SimSession(home.dir, 'claude-code', index);
      session.nextTurn();
      const run = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env: { ...home.env, ...options } });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      if (index === 0) expect(injected(run.stdout)).toContain(wanted);
    }
    return lists.flatMap(list => readFileSync(list, 'utf8').split('\n'));
  }

  const heavy =
    /internal\/deps\/undici|internal\/crypto\/(webcrypto|keys|tls)|NativeModule (https|tls|crypto|http2|worker_threads)$/;

  it('over REST: node:http, and neither undici nor TLS nor crypto', async () => {
    const { relay, url, agents } = await startRelay(['alice', 'bob']);
    await relay.service.deliver({ recipient: 'bob', from: 'alice', content: 'The build is green.' });
    const loaded = await turn({ PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token }, 'The build is green.');
    expect(loaded).toContain('NativeModule http');
    expect(loaded.filter(name => heavy.test(name))).toEqual([]);
  });

  it('over file: without a network module', async () => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const path = join(home.dir, 'relay.db');
    const service = await openRelayService({ path });
    for (const handle of ['alice', 'bob']) await service.addAgent({ handle });
    await service.deliver({ recipient: 'bob', from: 'alice', content: 'The build is green.' });
    await service.close();
    const loaded = await turn({ PRETURN_URL: `file:${path}`, PRETURN_AGENT: 'bob' }, 'The build is green.');
    expect(loaded.filter(name => /internal\/deps\/undici|NativeModule (http|https|tls)$/.test(name))).toEqual([]);
  });
});
