import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HOOK, type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { startRelay } from '../helpers/relay.ts';
import { SimSession } from '../helpers/session.ts';

/** Random inputs given to real processes; three at a time on two cores. */
const INPUTS = 300;
const AT_ONCE = 3;

let home: Home;
beforeEach(() => {
  home = makeHome();
  onTestFinished(() => home.remove());
});

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('/dev/zero', '/etc', '\0', '..'));
const anything = fc.oneof(text, fc.jsonValue());
const mostly = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: anything });
const clientStdin = fc
  .record(
    {
      session_id: mostly(fc.constantFrom('s1', 's2')),
      prompt_id: mostly(fc.uuid()),
      turn_id: text,
      transcript_path: text,
      cwd: mostly(fc.constant('/')),
      hook_event_name: mostly(fc.constantFrom('UserPromptSubmit', 'UserPromptSubmit', 'Stop', 'SessionEnd')),
      prompt: mostly(fc.string()),
      agent_id: mostly(fc.constantFrom(null, '')),
      other: fc.jsonValue(),
    },
    { requiredKeys: ['session_id', 'hook_event_name', 'prompt_id'] },
  )
  .map(fields => Buffer.from(JSON.stringify(fields)));
const stdin = fc.oneof(
  { weight: 5, arbitrary: clientStdin },
  { weight: 1, arbitrary: fc.json().map(json => Buffer.from(json)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.tuple(clientStdin, fc.nat(300)).map(([bytes, at]) => bytes.subarray(0, at)) },
);
const args = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc
        .oneof(fc.constantFrom('--harness', 'claude-code', 'codex', 'plain', 'json', '--help', '-'), fc.string())
        .map(arg => arg.replaceAll('\0', '')),
      { maxLength: 4 },
    ),
  },
);

/** Nothing, a client's envelope, json's object, or a plain block: each alone and whole. */
function isOneAnswer(stdout: string): boolean {
  if (stdout === '') return true;
  if (stdout.startsWith('<'))
    return /^<preturn-mail id="(\w+)">\n[\s\S]*<receipt id="\1">[^<]*<\/receipt>\n<\/preturn-mail>\n$/.test(stdout);
  const keys = Object.keys(JSON.parse(stdout) as object)
    .sort()
    .join();
  return ['hookSpecificOutput', 'systemMessage', 'hookSpecificOutput,systemMessage', 'block,notice'].includes(keys);
}

it(`${INPUTS} random inputs: exit code 0, nothing on stderr, one whole answer or nothing on stdout`, async () => {
  const { relay, url, agents } = await startRelay(['bob']);
  const env = { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' };
  let left = INPUTS;
  let shown = 0;
  const inputs = fc.sample(fc.tuple(stdin, args), INPUTS);
  const worker = async () => {
    while (left > 0) {
      const [bytes, argv] = inputs[--left]!;
      await relay.service.deliver({ recipient: 'bob', content: 'always waiting' });
      const run = await runBuiltHook({ stdin: bytes, args: argv, env });
      const what = JSON.stringify({ stdin: bytes.toString('latin1'), argv, run });
      expect([run.code, run.signal, run.stderr], what).toEqual([0, null, '']);
      expect(isOneAnswer(run.stdout), what).toBe(true);
      if (run.stdout.includes('always waiting')) shown++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(shown, 'some of the inputs must be prompts').toBeGreaterThan(INPUTS / 20);
});

describe('exit code 0', () => {
  const quiet = { code: 0, signal: null, stdout: '', stderr: '' };
  async function bob() {
    const { relay, url, agents } = await startRelay(['bob']);
    await relay.service.deliver({ recipient: 'bob', content: 'one' });
    return { ...home.env, PRETURN_URL: url, PRETURN_TOKEN: agents.bob.token, PRETURN_BUDGET_MS: '8000' };
  }
  const prompt = (session: SimSession) => {
    session.nextTurn();
    return session.stdin('UserPromptSubmit');
  };

  it.each([
    ['config.json', 'null'],
    ['config.json', '{"sources": 7}'],
    ['config.json', '\0\0\0'],
    ['credentials.json', '[]'],
  ])('with a %s of %j: one line, and the turn runs', async (name, content) => {
    mkdirSync(join(home.dir, 'config'), { recursive: true });
    writeFileSync(join(home.dir, 'config', name), content, { mode: 0o600 });
    const session = new SimSession(home.dir, 'codex', 0);
    const first = await runBuiltHook({ stdin: prompt(session), env: home.env });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(JSON.parse(first.stdout)).toEqual({ systemMessage: expect.stringContaining('configuration') });
    expect(await runBuiltHook({ stdin: prompt(session), env: home.env })).toEqual(quiet);
  });

  it.each(['', '{', '[]', '{"v":1}', '\u{1F4A5}'])('with a journal of %j the mail comes, marked', async content => {
    const env = await bob();
    const session = new SimSession(home.dir, 'claude-code', 0);
    session.receive((await runBuiltHook({ stdin: prompt(session), env })).stdout, 'vanished');
    const inboxes = join(home.dir, 'state', 'inboxes');
    writeFileSync(join(inboxes, readdirSync(inboxes)[0]!, 'journal.json'), content);
    const run = await runBuiltHook({ stdin: prompt(session), env });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(injected(run.stdout)).toContain('repeat="possible"');
  });

  it('when nobody reads what it prints', async () => {
    const env = await bob();
    const child = spawn(process.execPath, [HOOK], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    child.stdin.end(JSON.stringify(prompt(new SimSession(home.dir, 'codex', 0))));
    const code = await new Promise(resolve => child.on('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each([
    ['a writer that never ends', 'yes \'{"a":"}\''],
    ['a pipe that stays open without a byte', 'sleep 3'],
    ['drips', 'while :; do printf " "; sleep 0.05; done'],
  ])('with %s on stdin', async (_, writer) => {
    // A pipe of the shell's: Node's own children get sockets.
    const child = spawn('sh', ['-c', `(${writer}) 2> /dev/null | "$0" "$1"; echo "ended $?"`, process.execPath, HOOK], {
      env: home.env,
    });
    let out = '';
    child.stdout.on('data', chunk => {
      out += chunk;
    });
    await new Promise(resolve => child.on('close', resolve));
    expect(out).toBe('ended 0\n');
  });
});
