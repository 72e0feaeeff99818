import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { openRelayService } from '../../src/relay/service.ts';
import { type Home, injected, makeHome, runBuiltHook } from '../helpers/hook.ts';
import { SimSession } from '../helpers/session.ts';

/** Messages in all; the size is the default. */
const MESSAGES = Number(process.env.PRETURN_PROCESS_MESSAGES) || 2000;
const SENDERS = ['s1', 's2', 's3', 's4'];
const RECIPIENTS = ['bob', 'carol', 'dave'];
const SENDER = fileURLToPath(new URL('../helpers/sender.mjs', import.meta.url));

const homes: Home[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function send(db: string, from: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [SENDER, db, from, String(MESSAGES / SENDERS.length), ...RECIPIENTS]);
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  return new Promise(resolve => child.on('close', code => resolve({ code, stderr })));
}

it(`eight processes on one file: relay, ${MESSAGES} messages: nothing lost, nothing repeated, no lock error`, async () => {
  const home = makeHome();
  homes.push(home);
  const db = join(home.dir, 'relay.db');
  const service = await openRelayService({ path: db });
  for (const handle of [...SENDERS, ...RECIPIENTS]) await service.addAgent({ handle });

  let sending = true;
  const seen = new Map<string, number>();
  const noise: string[] = [];

  /** One hook process at a time, turn after turn, as a client would; two of the four share the identity bob. */
  async function work(agent: string, index: number): Promise<void> {
    const session = new SimSession(home.dir, index % 2 === 0 ? 'claude-code' : 'codex', index);
    const env = { ...home.env, PRETURN_URL: `file:${db}`, PRETURN_AGENT: agent, PRETURN_BUDGET_MS: '10000' };
    for (let quiet = 0; quiet < 3; ) {
      const last = !sending;
      session.nextTurn();
      const run = await runBuiltHook({ stdin: session.stdin('UserPromptSubmit'), env });
      if (run.code !== 0 || run.stderr !== '') noise.push(`${run.code} ${run.stderr}`);
      session.receive(run.stdout, 'given');
      const block = injected(run.stdout);
      if (block !== undefined)
        for (const seq of session.answer()) seen.set(`${agent}/${seq}`, (seen.get(`${agent}/${seq}`) ?? 0) + 1);
      else session.answer();
      session.over();
      const stop = await runBuiltHook({ stdin: session.stdin('Stop'), env });
      if (stop.stdout !== '' || stop.stderr !== '') noise.push(`Stop printed ${stop.stdout}${stop.stderr}`);
      if (block?.includes('preturn: ')) noise.push(block);
      quiet = last && block === undefined ? quiet + 1 : 0;
    }
  }

  const workers = [work('bob', 0), work('bob', 1), work('carol', 2), work('dave', 3)];
  const sent = await Promise.all(SENDERS.map(from => send(db, from)));
  sending = false;
  await Promise.all(workers);

  expect(sent).toEqual(SENDERS.map(() => ({ code: 0, stderr: '' })));
  expect(noise).toEqual([]);
  const agents = (await service.listAgents()).filter(agent => RECIPIENTS.includes(agent.handle));
  expect(agents.map(agent => agent.pending)).toEqual([0, 0, 0]);
  expect(seen.size, 'messages that a model was given').toBe(MESSAGES);
  expect(
    [...seen].filter(([, times]) => times > 1),
    'shown twice without a fault',
  ).toEqual([]);
  // Lock and store errors would stand in the log as failed inboxes.
  const log = readFileSync(join(home.dir, 'state', 'turns.jsonl'), 'utf8');
  expect(log).not.toMatch(/"state":"failed"|crashed/);
  await service.close();
});
