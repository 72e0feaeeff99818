import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { timed } from './run.mjs';
import { Session } from './session.mjs';

const HOOK = fileURLToPath(new URL('../../hooks/pre-turn.cjs', import.meta.url));
const MINIMAL = fileURLToPath(new URL('minimal-hook.cjs', import.meta.url));
const SHELL = fileURLToPath(new URL('shell-hook.sh', import.meta.url));

const ITEMS = 20;
const ITEM_BYTES = 1024;
const BACKLOG = 10_000;
/** Turns after which an inbox of 20 items must be empty. */
const MAX_TURNS = 10;

/**
 * The commands of the benchmark. Each has `prepare` (untimed: everything that the timed run must find) and `run`,
 * which times one process and checks what it printed.
 */
export async function makeCommands({ root, relay, hasTools }) {
  const url = await relay.call('url');
  const sender = await relay.call('addAgent', { handle: 'alice' });

  /** A session with an identity of its own, on the relay or on a `file:` store. */
  async function newSession(handle, path) {
    if (path !== undefined) await relay.call('addAgent', { path, handle: 'alice' });
    const agent = await relay.call('addAgent', { path, handle });
    const where = path === undefined ? { url, token: agent.token } : { url: `file:${path}` };
    return Object.assign(new Session(root, handle, { ...agent, ...where }), { handle, path, agentId: agent.agentId });
  }
  const deliver = ({ handle, path }, count = ITEMS) =>
    relay.call('deliver', {
      path,
      recipient: handle,
      from: path === undefined ? sender.agentId : 'alice',
      count,
      bytes: ITEM_BYTES,
    });
  const hook = (session, stdin, kind) => timed([process.execPath, HOOK], { stdin, env: session.env, kind });
  const stop = async session => expectText((await hook(session, session.stdin('Stop'))).stdout, '');
  const prompt = (session, kind) => hook(session, session.nextPrompt(), kind);

  /** Turns, played to their ends, until nothing waits. */
  async function empty(session) {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const { stdout } = await prompt(session);
      session.answer(stdout);
      await stop(session);
      if ((await relay.call('pending', { path: session.path, handle: session.handle })) === 0) return;
    }
    throw new Error(`${session.handle} is not empty after ${MAX_TURNS} turns: ${lastLog(session)}`);
  }

  async function hookWithItems(name, path) {
    const session = await newSession(name, path);
    return {
      async prepare() {
        await empty(session);
        await deliver(session);
      },
      async run() {
        const sample = await prompt(session);
        expectItems(session, sample.stdout);
        session.answer(sample.stdout);
        return sample;
      },
    };
  }

  async function hookThatProves() {
    const session = await newSession('prover');
    return {
      async prepare() {
        await empty(session);
        await deliver(session);
        session.answer((await prompt(session)).stdout);
        await deliver(session);
      },
      async run() {
        const sample = await prompt(session);
        expectItems(session, sample.stdout);
        if (!/"proven":[1-9]/.test(lastLog(session))) throw new Error(`nothing was proven: ${lastLog(session)}`);
        session.answer(sample.stdout);
        return sample;
      },
    };
  }

  async function hookOnBacklog() {
    const session = await newSession('backlog');
    await deliver(session, BACKLOG);
    return {
      async prepare() {},
      async run() {
        const sample = await prompt(session);
        expectItems(session, sample.stdout);
        session.answer(sample.stdout);
        await stop(session);
        return sample;
      },
    };
  }

  async function hookOnNothing(name, state, path, kind) {
    const session = await newSession(name, path);
    return {
      // A store written a moment ago counts as changed: turns until the hook has settled.
      async prepare() {
        for (let turn = 0; turn < MAX_TURNS; turn++) {
          session.answer((await prompt(session)).stdout);
          if (lastLog(session).includes(`"state":"${state}"`)) return;
          await new Promise(resolve => setTimeout(resolve, 150));
        }
        throw new Error(`the inbox does not settle: ${lastLog(session)}`);
      },
      async run() {
        const sample = await prompt(session, kind);
        expectText(sample.stdout, '');
        if (!lastLog(session).includes(`"state":"${state}"`)) throw new Error(`not ${state}: ${lastLog(session)}`);
        session.answer('');
        return sample;
      },
    };
  }

  async function script(name, command) {
    const session = await newSession(name);
    return {
      prepare: () => deliver(session),
      async run() {
        const sample = await timed(command, { stdin: session.nextPrompt(), env: session.env });
        const items = JSON.parse(sample.stdout).hookSpecificOutput.additionalContext.match(/Item \d+/g);
        if (items.length < 8) throw new Error(`${name} printed ${items.length} items`);
        return sample;
      },
    };
  }

  const bare = {
    async prepare() {},
    run: () => timed([process.execPath, '-e', '0'], { stdin: '', env: { PATH: process.env.PATH, HOME: root } }),
  };

  return {
    'node -e 0': bare,
    ...(hasTools ? { 'bash + curl + jq': await script('shell', ['bash', SHELL]) } : {}),
    'minimal script': await script('minimal', [process.execPath, MINIMAL]),
    'hook, 20 items': await hookWithItems('items'),
    'hook, 20 items, proves the last block': await hookThatProves(),
    'hook, empty inbox': await hookOnNothing('empty', 'drained'),
    'hook, backlog of 10,000': await hookOnBacklog(),
    'hook, file: 20 items': await hookWithItems('file-items', join(root, 'items.db')),
    'hook, file: unchanged': await hookOnNothing('file-unchanged', 'unchanged', join(root, 'unchanged.db')),
    'hook, file: unchanged, stdin a pipe': await hookOnNothing('pipe', 'unchanged', join(root, 'pipe.db'), 'pipe'),
  };
}

function expectText(got, wanted) {
  if (got !== wanted) throw new Error(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got.slice(0, 500))}`);
}

function expectItems(session, stdout) {
  const shown =
    stdout === '' ? 0 : JSON.parse(stdout).hookSpecificOutput.additionalContext.match(/\sseq="\d+"/g)?.length;
  if (!(shown >= 8)) throw new Error(`${session.handle}: ${shown} items in the block: ${lastLog(session)}`);
}

/** The last turn's line in the hook's own log. */
function lastLog(session) {
  return readFileSync(join(session.env.PRETURN_STATE_DIR, 'turns.jsonl'), 'utf8').trim().split('\n').at(-1);
}
