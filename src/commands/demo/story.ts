import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTokens } from '../../core/tokens.ts';
import { createRelay } from '../../relay/serve.ts';
import { DemoClient } from './client.ts';
import { MAIL } from './mail.ts';

/** Cap of the demo's blocks, estimated tokens: small, so that seven messages need several turns. */
export const CAP = 450;
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

export interface ShownItem {
  readonly seq: number;
  readonly score: number;
  readonly tier: string;
  /** Estimated tokens of the item's element. */
  readonly tokens: number;
  /** Marked as a possible repeat: an earlier block with it was printed without proof. */
  readonly repeat: boolean;
}

export interface DemoTurn {
  readonly turn: number;
  /** The block as the model got it, or would have got it. */
  readonly block: string | null;
  readonly tokens: number;
  readonly shown: readonly ShownItem[];
  readonly thrownAway: boolean;
  /** Sequences above the cursor that found no room under the cap. */
  readonly noRoom: readonly number[];
  /** Sequences above the cursor that an earlier block showed; only a lower one keeps them from being acknowledged. */
  readonly shownBefore: readonly number[];
  readonly cursor: { readonly before: number; readonly after: number };
}

export interface Story {
  readonly pending: readonly Pending[];
  readonly cap: number;
  readonly turns: readonly DemoTurn[];
  readonly head: number;
}

/** Runs the whole path for real: a relay on loopback, the built hook as a child process, turn after turn. */
export async function play(onStep: (step: { pending?: readonly Pending[]; turn?: DemoTurn }) => void): Promise<Story> {
  const home = mkdtempSync(join(tmpdir(), 'preturn-demo-'));
  const relay = await createRelay();
  try {
    for (const handle of ['alice', 'ci-bot', 'mallory']) await relay.addAgent({ handle });
    const bob = await relay.addAgent({ handle: 'bob' });
    const { url } = await relay.listen();
    await relay.service.deliverAll(MAIL.map(mail => ({ ...mail, recipient: 'bob' })));
    const me = await relay.service.actAs('bob');
    const inbox = async (since: number) => {
      const { itemsJson } = await relay.service.pull(me, { since });
      return itemsJson.map(toPending).sort((a, b) => a.seq - b.seq);
    };
    const cursor = async () => (await relay.service.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor;
    const pending = await inbox(0);
    onStep({ pending });

    const client = new DemoClient(home, configure(home, url, bob));
    const turns: DemoTurn[] = [];
    const given = new Set<number>();
    for (let turn = 1; turn <= MAX_TURNS; turn++) {
      const before = await cursor();
      if (before >= pending.length) break;
      const waiting = (await inbox(before)).map(item => item.seq);
      const block = await client.submit();
      const thrownAway = turn === DISCARDED;
      await (thrownAway ? client.discard() : client.answer(block));
      const shown = block === null ? [] : itemsOf(block);
      const stayed = waiting.filter(seq => !shown.some(item => item.seq === seq));
      const told: DemoTurn = {
        turn,
        block,
        tokens: block === null ? 0 : estimateTokens(block),
        shown,
        thrownAway,
        noRoom: stayed.filter(seq => !given.has(seq)),
        shownBefore: stayed.filter(seq => given.has(seq)),
        cursor: { before, after: await cursor() },
      };
      if (!thrownAway) for (const item of shown) given.add(item.seq);
      turns.push(told);
      onStep({ turn: told });
    }
    return { pending, cap: CAP, turns, head: pending.length };
  } finally {
    await relay.close();
    rmSync(home, { recursive: true, force: true });
  }
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

function toPending(json: string): Pending {
  const item = JSON.parse(json) as {
    delivery_seq: number;
    diff: { content: string; metadata: { kind: string; from_handle: string } };
    delivery: { score: number };
  };
  const { kind, from_handle: from } = item.diff.metadata;
  return { seq: item.delivery_seq, from, kind, score: item.delivery.score, characters: item.diff.content.length };
}

/** The items of a block, as they stand in it. */
function itemsOf(block: string): ShownItem[] {
  return [...block.matchAll(/^<message ([^>]*)>[\s\S]*?<\/message>$/gm)].map(([element, head = '']) => {
    const attributes = new Map([...head.matchAll(/(\w+)="([^"]*)"/g)].map(match => [match[1], match[2]]));
    return {
      seq: Number(attributes.get('seq')),
      score: Number(attributes.get('score')),
      tier: attributes.get('tier') ?? 'full',
      tokens: estimateTokens(element),
      repeat: attributes.has('repeat'),
    };
  });
}
