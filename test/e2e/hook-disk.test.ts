import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openRelayService } from '../../src/relay/service.ts';
import { HOOK, type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

/** A mount of one's own needs root, or a kernel that gives users a namespace of theirs. */
const mounts = spawnSync('unshare', ['-Urm', 'sh', '-c', 'mount -t tmpfs tmpfs /tmp']).status === 0;

let home: Home;
let session: SimSession;
beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
  session = new SimSession(home.dir, 'claude-code', 0);
});

/** Runs a shell script where it may mount; its standard output. */
function script(text: string, env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const child = spawn('unshare', ['-Urm', 'sh', '-euc', text], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  return new Promise(resolve => child.on('close', code => resolve({ code, stderr })));
}
const hook = `"${process.execPath}" "${HOOK}"`;
const read = (name: string) => readFileSync(join(home.dir, name), 'utf8');

/** Pages of 4 KB that are free when a run begins: too few for the lease, for the journal, for nothing. */
const FREE = [0, 1, 2, 3, 4, 5, 8];

it.skipIf(!mounts)(
  'a full disk: nothing is printed that is not on record, and the mail comes when there is room (needs mounts)',
  async () => {
    const { relay, url, agents } = await startRelay(['bob']);
    for (let i = 0; i < 3; i++)
      await relay.service.deliver({ recipient: 'bob', content: `mail ${i} ${'words '.repeat(400)}` });
    const state = join(home.dir, 'state');
    mkdirSync(state);
    const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' };
    for (const [index] of FREE.entries()) {
      session.nextTurn();
      writeFileSync(join(home.dir, `in${index}`), JSON.stringify(session.stdin('UserPromptSubmit')));
    }
    const run = await script(
      `mount -t tmpfs -o size=1m tmpfs "${state}"
       cd "${home.dir}"
       i=0
       for free in ${FREE.join(' ')}; do
         head -c 2000000 /dev/zero > state/fill 2> /dev/null || true
         truncate -s $(($(stat -c %s state/fill) - free * 4096)) state/fill
         ${hook} < in$i > out$i 2> err$i; echo $? > code$i
         find state -name journal.json -exec cat {} + > journal$i
         find state -name lock > locks$i
         rm -f state/fill
         i=$((i + 1))
       done`,
      env,
    );
    expect(run).toEqual({ code: 0, stderr: '' });
    let printed = 0;
    for (const [i, free] of FREE.entries()) {
      expect([read(`code${i}`), read(`err${i}`), read(`locks${i}`)], `${free} pages free`).toEqual(['0\n', '', '']);
      const block = injected(read(`out${i}`));
      if (block === undefined) continue;
      // Marked also where the marker was written and the journal was not: then nobody knows.
      if (printed > 0) expect(block, `with ${free} pages free`).toContain('repeat="possible"');
      printed++;
      const { intents } = JSON.parse(read(`journal${i}`)) as { intents: Array<{ block: string }> };
      expect(intents.map(intent => intent.block)).toContain(block);
    }
    expect(injected(read('out0')), 'no page at all').toBeUndefined();
    expect(injected(read(`out${FREE.length - 1}`)), 'room enough').toContain('mail 2');
  },
);

describe('file:', () => {
  async function store() {
    const dir = join(home.dir, 'relay');
    mkdirSync(dir);
    const path = join(dir, 'relay.db');
    const service = await openRelayService({ path });
    await service.addAgent({ handle: 'bob' });
    await service.deliver({ recipient: 'bob', content: 'one' });
    const env = { ...home.env, PRETURN_URL: `file:${path}`, PRETURN_AGENT: 'bob', PRETURN_BUDGET_MS: '3000' };
    return { dir, path, service, env };
  }
  const prompt = (env: Record<string, string>) => {
    session.nextTurn();
    return runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
  };
  const notice = (stdout: string) => (JSON.parse(stdout || '{}') as { systemMessage?: string }).systemMessage ?? '';

  it.skipIf(!mounts)(
    'a directory that nobody may write to: one line, or the mail, and no crash (needs mounts)',
    async () => {
      const { dir, service, env } = await store();
      await service.close();
      session.nextTurn();
      writeFileSync(join(home.dir, 'in'), JSON.stringify(session.stdin('UserPromptSubmit')));
      const run = await script(
        `mount --bind "${dir}" "${dir}"
       mount -o remount,ro,bind "${dir}"
       cd "${home.dir}"
       ${hook} < in > out 2> err; echo $? > code`,
        env,
      );
      expect(run).toEqual({ code: 0, stderr: '' });
      expect([read('code'), read('err')]).toEqual(['0\n', '']);
      const out = read('out');
      expect(`${injected(out) ?? ''} ${notice(out)}`).toMatch(/one|no answer/);
      // It can be written again: the mail is there.
      expect(injected((await prompt(env)).stdout)).toContain('one');
    },
  );

  it('a file that is no database is one line, once', async () => {
    const { path, service, env } = await store();
    await service.close();
    writeFileSync(path, 'not a database, but long enough to be taken for one '.repeat(100));
    expect(notice((await prompt(env)).stdout)).toContain('no answer');
    expect((await prompt(env)).stdout).toBe('');
    expect(readFileSync(path, 'utf8')).toMatch(/^not a database/);
  });

  it('a writer that keeps the database: mail is shown, what cannot be acknowledged waits, inside the budget', async () => {
    const { path, service, env } = await store();
    onTestFinished(() => service.close());
    const me = await service.actAs('bob');
    const cursor = async () => (await service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor;
    const writer = new Database(path);
    onTestFinished(() => void writer.close());
    writer.exec('begin immediate');
    const began = Date.now();
    const first = await prompt(env);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(injected(first.stdout)).toContain('one');
    session.receive(first.stdout, 'given');
    session.answer();
    session.over();
    const stop = await runBuiltHook({ stdin: session.stdin('Stop'), env });
    expect(stop).toMatchObject({ code: 0, stdout: '', stderr: '' });
    // Two runs of 3 s; the rest is for a machine that does ten things at once.
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await cursor()).toBe(0);
    writer.exec('rollback');
    expect((await prompt(env)).stdout).toBe('');
    expect(await cursor()).toBe(1);
  });
});
