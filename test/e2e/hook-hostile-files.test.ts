import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
});

/** What stands at a path where the hook expects a small file. Opening a pipe would block, the device never ends. */
const PLANTED: ReadonlyArray<readonly [string, (path: string) => void]> = [
  ['a link to a device without end', path => symlinkSync('/dev/zero', path)],
  ['a pipe that nobody writes', path => execFileSync('mkfifo', [path])],
  ['a directory', path => mkdirSync(path)],
  ['a link to itself', path => symlinkSync(path, path)],
  [
    'a file of 300 MB',
    path => {
      writeFileSync(path, '[');
      truncateSync(path, 300 * 1024 * 1024);
    },
  ],
];

async function prompt(): Promise<{ env: Record<string, string>; run: () => ReturnType<typeof runBuiltHook> }> {
  const { relay, url, agents } = await startRelay(['bob']);
  await relay.service.deliver({ recipient: 'bob', content: 'one' });
  const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' };
  let turn = 0;
  const run = () =>
    runBuiltHook({
      stdin: {
        session_id: 's',
        prompt_id: `p${turn++}`,
        cwd: home.dir,
        hook_event_name: 'UserPromptSubmit',
        prompt: 'x',
      },
      env,
      // A hook that hangs in an open or a read heeds no other signal.
      kill: { signal: 'SIGKILL', afterMs: 30_000 },
    });
  return { env, run };
}

describe.each(PLANTED)('%s', (_, plant) => {
  it('as a project’s .preturn.json switches the project off, and the turn runs', async () => {
    const { run } = await prompt();
    plant(join(home.dir, '.preturn.json'));
    expect(await run()).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    rmSync(join(home.dir, '.preturn.json'), { recursive: true });
    expect(injected((await run()).stdout)).toContain('one');
  });

  it.each(['config/config.json', 'config/credentials.json', 'config/trust.yaml', 'config/trust.json'])(
    'as the user’s own %s is at most one line for the human',
    async name => {
      const { run } = await prompt();
      const path = join(home.dir, name);
      mkdirSync(dirname(path), { recursive: true });
      if (name.endsWith('trust.json')) writeFileSync(join(home.dir, 'config/trust.yaml'), 'version: 1\n');
      plant(path);
      const { code, signal, stderr, stdout } = await run();
      expect([code, signal, stderr, injected(stdout)]).toEqual([0, null, '', undefined]);
    },
  );

  it('as a token file, or an authority’s file, is one line', async () => {
    const { env, run } = await prompt();
    plant(join(home.dir, 'planted'));
    env.PRETURN_TOKEN_FILE = join(home.dir, 'planted');
    delete env.PRETURN_TOKEN;
    expect(await run()).toMatchObject({ code: 0, signal: null, stderr: '' });
    Object.assign(env, {
      PRETURN_TOKEN: 'x',
      PRETURN_CA_FILE: join(home.dir, 'planted'),
      PRETURN_URL: 'https://127.0.0.1:9',
    });
    expect(await run()).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('as the journal, its marker or its lock costs a turn at most', async () => {
    const { run } = await prompt();
    await run();
    const inboxes = join(home.dir, 'state', 'inboxes');
    const dir = join(inboxes, execFileSync('ls', [inboxes], { encoding: 'utf8' }).trim());
    for (const name of ['journal.json', 'generation', 'lock']) {
      rmSync(join(dir, name), { recursive: true, force: true });
      if (name === 'generation') rmSync(join(dir, 'journal.json'), { recursive: true, force: true });
      plant(join(dir, name));
      expect(await run(), name).toMatchObject({ code: 0, signal: null, stderr: '' });
      rmSync(join(dir, name), { recursive: true, force: true });
    }
    expect((await run()).code).toBe(0);
  });
});
