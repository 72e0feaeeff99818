import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_FILE } from '../../lib/log.ts';
import { createRelay, type Relay } from '../../relay/serve.ts';
import type { Report } from '../../report.ts';
import { frameHolds, itemsOf, type ShownItem } from './block.ts';
import { DemoClient } from './client.ts';
import { HOSTILE, MAIL } from './mail.ts';

/** Cap of the demo's blocks, estimated tokens: small, so that seven messages need several turns and every tier. */
export const CAP = 500;
/** The turn whose output the client throws away. */
const DISCARDED = 2;
const MAX_TURNS = 12;

export interface Pending {
  readonly seq: number;
  readonly from: string;
  readonly kind: string;
  readonly score: number;
  readonly characters: number;
}

export interface DemoTurn {
  readonly turn: number;
  /** What the hook printed for the model, to the character. */
  readonly block: string | null;
  /** Estimated tokens and UTF-8 bytes of the block, as the hook logged them. */
  readonly tokens: number;
  readonly bytes: number;
  readonly shown: readonly ShownItem[];
  readonly thrownAway: boolean;
  /** Sequences above the cursor that were never proven shown and found no room under the cap. */
  readonly noRoom: readonly number[];
  /** Sequences above the cursor that the journal keeps as proven: not repeated, and acknowledged later. */
  readonly kept: readonly number[];
  /** Whether the hook, run at Stop, found this turn's block in the transcript and an answer after it. */
  readonly proven: boolean;
  /** The relay's cursor before the prompt and after Stop. */
  readonly cursor: { readonly before: number; readonly after: number };
}

export interface Check {
  readonly what: string;
  readonly holds: boolean;
}

export interface Story {
  readonly cap: number;
  /** Sequence of the newest message. */
  readonly head: number;
  readonly pending: readonly Pending[];
  /** Sequence and text of the message that tries to break out, as it was sent. */
  readonly hostile: { readonly seq: number; readonly body: string };
  readonly turns: readonly DemoTurn[];
  readonly checks: readonly Check[];
}

export interface Listener {
  readonly onPending: (pending: readonly Pending[], hostile: Story['hostile']) => void;
  readonly onTurn: (turn: DemoTurn) => void;
}

/** Runs the whole path for real: a relay on loopback, the built hook as a child process, turn after turn. */
export async function play(listener: Listener): Promise<Story> {
  const home = mkdtempSync(join(tmpdir(), 'preturn-demo-'));
  const forget = () => rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  const stop = () => process.exit(130);
  process.once('exit', forget).once('SIGINT', stop);
  const relay = await createRelay();
  try {
    return await playIn(home, relay, listener);
  } finally {
    await relay.close();
    process.off('exit', forget).off('SIGINT', stop);
    forget();
  }
}

async function playIn(home: string, relay: Relay, listener: Listener): Promise<Story> {
  const bob = await relay.addAgent({ handle: 'bob' });
  await send(relay, bob.agentId);
  const { url } = await relay.listen();
  const me = await relay.service.authenticate(bob.token);
  const inbox = async (since: number) => {
    const { itemsJson } = await relay.service.pull(me, { since });
    return itemsJson.map(toPending).sort((a, b) => a.seq - b.seq);
  };
  const cursor = async () => (await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor;

  const pending = await inbox(0);
  const at = MAIL.findIndex(letter => letter.from === HOSTILE);
  const hostile = { seq: at + 1, body: MAIL[at]!.body };
  listener.onPending(pending, hostile);

  const env = configure(home, url, bob);
  const client = new DemoClient(home, env);
  const turns: DemoTurn[] = [];
  const proven = new Set<number>();
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const before = await cursor();
    if (before >= pending.length) break;
    const waiting = (await inbox(before)).map(item => item.seq);
    const block = await client.submit();
    const prompt = lastRun(env);
    const thrownAway = turn === DISCARDED;
    await (thrownAway ? client.discard() : client.answer(block));
    const stop = lastRun(env);

    const shown = block === null ? [] : itemsOf(block);
    const stayed = waiting.filter(seq => !shown.some(item => item.seq === seq));
    const told: DemoTurn = {
      turn,
      block,
      tokens: prompt.tokens ?? 0,
      bytes: prompt.bytes ?? 0,
      shown,
      thrownAway,
      noRoom: stayed.filter(seq => !proven.has(seq)),
      kept: stayed.filter(seq => proven.has(seq)),
      proven: (stop.inboxes?.[0]?.proven ?? 0) > 0,
      cursor: { before, after: await cursor() },
    };
    if (told.proven) for (const item of shown) proven.add(item.seq);
    turns.push(told);
    listener.onTurn(told);
    // It would print nothing again; the checks say what is missing.
    if (block === null) break;
  }
  return { cap: CAP, head: pending.length, pending, hostile, turns, checks: check(turns, pending) };
}

/** Every sender acts by its own token, as over the wire. */
async function send(relay: Relay, to: string): Promise<void> {
  const tokens = new Map<string, string>();
  for (const { from, ...letter } of MAIL) {
    const token = tokens.get(from) ?? (await relay.addAgent({ handle: from })).token;
    tokens.set(from, token);
    await relay.service.send(await relay.service.authenticate(token), { ...letter, recipientAgentId: to });
  }
}

/** What the run has shown, each judged by what happened and not by what was meant to happen. */
function check(turns: readonly DemoTurn[], pending: readonly Pending[]): Check[] {
  const of = (some: readonly DemoTurn[]) => some.flatMap(turn => turn.shown);
  const given = of(turns.filter(turn => turn.proven)).map(item => item.seq);
  const lost = turns.find(turn => turn.thrownAway);
  const again = of(turns.filter(turn => turn.turn > (lost?.turn ?? 0))).filter(item => item.repeat);
  const expected = lost?.shown.map(item => item.seq) ?? [];
  const blocks = turns.flatMap(turn => (turn.block === null ? [] : [turn.block]));
  const last = turns.at(-1)?.cursor.after ?? 0;
  const list = (seqs: readonly number[]) => [...seqs].sort((a, b) => a - b).join(', ');
  return [
    {
      what: `Every message stood in front of the model exactly once: ${list(given)}.`,
      holds: list(given) === list(pending.map(item => item.seq)),
    },
    {
      what: `What the client threw away in turn ${lost?.turn ?? '–'} was not acknowledged, and came again with the repeat mark: ${list(expected)}.`,
      holds:
        expected.length > 0 &&
        lost?.proven === false &&
        lost.cursor.after === lost.cursor.before &&
        list(again.map(item => item.seq)) === list(expected),
    },
    {
      what: 'The hostile message stayed inside its element: every tag in the blocks is the frame’s own, nothing unseen got through.',
      holds: blocks.length > 0 && blocks.every(frameHolds),
    },
    {
      what: `No block is above ${CAP} tokens (estimate).`,
      holds: turns.every(turn => turn.tokens <= CAP),
    },
    {
      what: `The relay’s cursor is at ${last} of ${pending.length}, and never moved but on proof.`,
      holds: last === pending.length && turns.every(turn => turn.proven || turn.cursor.after === turn.cursor.before),
    },
  ];
}

/** The configuration that `preturn login` would write, in a home of its own. */
function configure(home: string, url: string, bob: { agentId: string; token: string }): Record<string, string> {
  const config = join(home, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const write = (file: string, value: unknown) =>
    writeFileSync(join(config, file), JSON.stringify(value), { mode: 0o600 });
  write('config.json', { version: 1, maxTokens: CAP, sources: [{ name: 'relay', url, agent: bob.agentId }] });
  const entry = { origin: url, agentId: bob.agentId, handle: 'bob', token: bob.token };
  write('credentials.json', { version: 1, entries: [entry] });
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    PRETURN_CONFIG_DIR: config,
    PRETURN_STATE_DIR: join(home, 'state'),
    PRETURN_DATA_DIR: join(home, 'data'),
    // A laptop that just installed something is slow; the demo is about what happens, not about how fast.
    PRETURN_BUDGET_MS: '10000',
  };
}

/** What the hook's last run says of itself in its log; empty when it wrote none. */
function lastRun(env: Readonly<Record<string, string>>): Partial<Report> {
  try {
    const lines = readFileSync(join(env.PRETURN_STATE_DIR!, LOG_FILE), 'utf8').trimEnd().split('\n');
    return JSON.parse(lines.at(-1)!) as Partial<Report>;
  } catch {
    return {};
  }
}

function toPending(json: string): Pending {
  const item = JSON.parse(json) as {
    delivery_seq: number;
    diff: { content: string; metadata: { kind: string; from_handle: string } };
    delivery: { score: number };
  };
  const { kind, from_handle: from } = item.diff.metadata;
  return { seq: item.delivery_seq, from, kind, score: item.delivery.score, characters: item.diff.content.length };
}
