import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CLI } from '../helpers/cli.ts';
import { type Bench, openBench } from './rig/bench.ts';
import { CLAUDE, CODEX } from './rig/clients.ts';
import { landed, occurrences, without } from './rig/landed.ts';

/** One laptop, no server: two clients on one SQLite file, under one user's state, hear each other. */
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client whose hook drains, and whose shell sends, as `agent` over the relay file. */
async function open(client: typeof CLAUDE, agent: string, dir: string): Promise<Bench> {
  const bench = await openBench(client.open, {
    PRETURN_URL: `file:${join(dir, 'relay.db')}`,
    PRETURN_AGENT: agent,
    PRETURN_CONFIG_DIR: join(dir, 'config'),
    PRETURN_STATE_DIR: join(dir, 'state'),
  });
  closing.push(() => bench.close());
  const { code, stderr } = await bench.preturn('agent', 'add', agent);
  expect([code, stderr]).toEqual([0, '']);
  return bench;
}

const send = (to: string, text: string) => `'${process.execPath}' '${CLI}' send ${to} '${text}'`;

async function waiting(bench: Bench): Promise<number> {
  const { stdout } = await bench.preturn('inbox', '--json');
  return (JSON.parse(stdout) as { items: unknown[] }).items.length;
}

test(`a model in ${CLAUDE.title} and one in ${CODEX.title} hear each other over a relay file`, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pair-'));
  closing.push(() => rm(dir, { recursive: true, force: true }));
  const claude = await open(CLAUDE, 'claude', dir);
  const codex = await open(CODEX, 'codex', dir);
  const hooks = { claude: await claude.register(), codex: await codex.register() };

  const asking = { tool: 'Bash', input: { command: send('codex', 'MAIL-ASK Is the import done?') } };
  const asked = await claude.turn({ prompt: 'Ask.', replies: [asking], args: ['--allowedTools', 'Bash'] });
  expect(asked.requests).toHaveLength(2);
  expect(await waiting(codex)).toBe(1);

  const answering = { tool: 'exec_command', input: { cmd: send('claude', 'MAIL-ANSWER It is.') } };
  const answered = await codex.turn({ prompt: 'Go on.', replies: [answering] });
  const question = (await hooks.codex.last('UserPromptSubmit'))?.block ?? '';
  expect(question).toContain('MAIL-ASK');
  expect(question).toContain('from="claude"');
  expect(landed(answered.requests[0]!, question).map(part => part.role)).toEqual([codex.session.role]);
  expect(await waiting(codex)).toBe(0);
  expect(await waiting(claude)).toBe(1);

  const heard = await claude.turn({ prompt: 'And?', resume: true });
  const answer = (await hooks.claude.last('UserPromptSubmit'))?.block ?? '';
  expect(answer).toContain('MAIL-ANSWER');
  expect(answer).toContain('from="codex"');
  expect(landed(heard.requests[0]!, answer).map(part => part.role)).toEqual([claude.session.role]);
  expect(await waiting(claude)).toBe(0);

  // Quiet now: neither is told anything again, and nothing is printed.
  for (const bench of [claude, codex]) {
    const quiet = await bench.turn({ prompt: 'Quiet.', resume: true });
    expect(quiet.code).toBe(0);
    const blocks = bench === claude ? [answer] : [question];
    expect(occurrences(quiet.requests[0]!, '<preturn-mail')).toBe(1);
    expect(without(quiet.requests[0]!, blocks)).not.toContain('<preturn-mail');
  }
  for (const hook of Object.values(hooks)) {
    const runs = await hook.runs();
    expect(runs.map(run => [run.code, run.stderr])).toEqual(runs.map(() => [0, '']));
    expect(runs.at(-1)?.stdout).toBe('');
  }
});
