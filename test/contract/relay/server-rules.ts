import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createRelay } from '../../../src/index.ts';
import { inProcess, mcp, mcpClient, Refusal, rest, type ToolResult } from './surfaces.ts';
import { brief, SURFACES, type SurfaceName, seqs, type World } from './world.ts';

export interface Rule {
  /** Stable number of the server rule. */
  readonly rule: number;
  readonly says: string;
  /** The surfaces it applies to. gRPC and stdio do not exist yet; rules about them name what applies today. */
  readonly on: readonly SurfaceName[];
  /** Why it does not apply to the others. */
  readonly why?: string;
  /** `maxBatch` is 4, the inbox is bob's and empty. */
  check(w: World): Promise<void>;
}

const ALL = SURFACES;
const TWELVE = 12;

const refused = async (call: Promise<unknown>, code: string, shape?: string) => {
  const error = await call.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(Refusal);
  expect((error as Refusal).code).toBe(code);
  if (shape !== undefined) expect((error as Refusal).shape).toBe(shape);
};

const inputShape: Record<SurfaceName, string> = { 'in-process': 'thrown', rest: 'HTTP 400', mcp: 'isError' };

export const RULES: readonly Rule[] = [
  {
    rule: 1,
    says: '{} gives the window (0,4], cursor 0, window_high 4, has_more',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull())).toEqual([[1, 2, 3, 4], 0, 4, true]);
    },
  },
  {
    rule: 2,
    says: '{} twice is identical: a bare pull never advances',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(await w.pull()).toEqual(await w.pull());
    },
  },
  {
    rule: 3,
    says: '{ack:4} answers with cursor 4 and items 5–8',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ ack: 4 }))).toEqual([[5, 6, 7, 8], 4, 8, true]);
    },
  },
  {
    rule: 4,
    says: 'a lower ack never rewinds and is no error',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      await w.pull({ ack: 4 });
      expect((await w.pull({ ack: 2 })).cursor).toBe(4);
    },
  },
  {
    rule: 5,
    says: 'a runaway ack advances one window a call: 4, 8, 12',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      for (const cursor of [4, 8, 12, 12]) expect((await w.pull({ ack: 1000 })).cursor).toBe(cursor);
    },
  },
  {
    rule: 6,
    says: 'a first-call runaway loses at most n rows, still readable by since:0',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect((await w.pull({ ack: Number.MAX_SAFE_INTEGER })).cursor).toBe(4);
      expect(seqs(await w.pull({ since: 0 }))).toEqual([1, 2, 3, 4]);
    },
  },
  {
    rule: 7,
    says: 'an ack need not be the sequence of an item or window',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ ack: 3 }))).toEqual([[4, 5, 6, 7], 3, 7, true]);
    },
  },
  {
    rule: 8,
    says: '{ack:4,limit:1} under-acks: cursor 1',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ ack: 4, limit: 1 }))).toEqual([[2], 1, 2, true]);
    },
  },
  {
    rule: 9,
    says: 'limit is clamped down silently',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ limit: 2 }))).toEqual([[1, 2], 0, 2, true]);
      expect(brief(await w.pull({ limit: 999 }))).toEqual([[1, 2, 3, 4], 0, 4, true]);
    },
  },
  {
    rule: 10,
    says: 'limit counts examined rows: with 1–3 hidden there is one item, window_high 4',
    on: ALL,
    async check(w) {
      await w.fill(['hidden', 'hidden', 'hidden', 'visible', 'visible']);
      expect(brief(await w.pull())).toEqual([[4], 0, 4, true]);
    },
  },
  {
    rule: 11,
    says: 'limit 0 and -1 are errors',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      for (const limit of [0, -1]) await refused(w.pull({ limit }), 'bad_input');
    },
  },
  {
    rule: 12,
    says: 'since:0 re-reads acknowledged rows and leaves the cursor',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      await w.pull({ ack: 4 });
      await w.pull({ ack: 8 });
      expect(brief(await w.pull({ since: 0 }))).toEqual([[1, 2, 3, 4], 8, 4, true]);
    },
  },
  {
    rule: 13,
    says: 'since:8 at cursor 0 peeks 9–12 and leaves the cursor',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ since: 8 }))).toEqual([[9, 10, 11, 12], 0, 12, false]);
    },
  },
  {
    rule: 14,
    says: '{ack:12,since:12} repeated: the ceiling comes from the stored cursor, 4, 8, 12',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      for (const cursor of [4, 8, 12]) expect((await w.pull({ ack: 12, since: 12 })).cursor).toBe(cursor);
    },
  },
  {
    rule: 15,
    says: '{ack:4,since:0}: ack first, since overrides the floor only',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ ack: 4, since: 0 }))).toEqual([[1, 2, 3, 4], 4, 4, true]);
    },
  },
  {
    rule: 16,
    says: 'since far above: empty, window_high = cursor, no more',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      await w.pull({ ack: 4 });
      expect(brief(await w.pull({ since: 99_999 }))).toEqual([[], 4, 4, false]);
    },
  },
  {
    rule: 17,
    says: 'drained: [], window_high = cursor, no more (the page’s example, 42/42)',
    on: ALL,
    async check(w) {
      await w.fill(42);
      for (let ack = 4; ack < 44; ack += 4) await w.pull({ ack });
      const { beside: _, ...page } = await w.pull({ ack: 42, limit: 8 });
      expect(page).toEqual({ items: [], cursor: 42, window_high: 42, has_more: false });
    },
  },
  {
    rule: 18,
    says: 'a wholly hidden window gives no items, window_high 4, has_more',
    on: ALL,
    async check(w) {
      await w.fill([...Array(4).fill('hidden'), 'visible']);
      expect(brief(await w.pull())).toEqual([[], 0, 4, true]);
      expect(brief(await w.pull({ ack: 4 }))).toEqual([[5], 4, 5, false]);
    },
  },
  {
    rule: 19,
    says: 'item 41 between hidden 39, 40 and 42: cursor 38, window_high 42',
    on: ALL,
    async check(w) {
      await w.fill([...Array(38).fill('visible'), 'hidden', 'hidden', 'visible', 'hidden']);
      for (let ack = 4; ack <= 40; ack += 4) await w.pull({ ack: Math.min(ack, 38) });
      expect(brief(await w.pull())).toEqual([[41], 38, 42, false]);
    },
  },
  {
    rule: 20,
    says: 'acking past a hidden row never shows it; a wider scope later does, by since',
    on: ALL,
    async check(w) {
      await w.fill(['visible', 'hidden', 'visible']);
      expect(brief(await w.pull({ ack: 3 }))).toEqual([[], 3, 3, false]);
      expect(seqs(await w.pull({ since: 0 }))).toEqual([1, 3]);
      await w.service.setReadScopes('bob', ['team', 'secret']);
      expect(seqs(await w.pull())).toEqual([]);
      expect(seqs(await w.pull({ since: 0 }))).toEqual([1, 3, 2]);
    },
  },
  {
    rule: 21,
    says: 'acking the newest item below a trailing hidden row re-examines that row',
    on: ALL,
    async check(w) {
      await w.fill(['visible', 'visible', 'hidden']);
      expect(brief(await w.pull({ ack: 2 }))).toEqual([[], 2, 3, false]);
      expect(brief(await w.pull({}))).toEqual([[], 2, 3, false]);
    },
  },
  {
    rule: 22,
    says: 'has_more is not items.length == limit: exactly 4 rows at limit 4 are all',
    on: ALL,
    async check(w) {
      await w.fill(4);
      expect(brief(await w.pull({ limit: 4 }))).toEqual([[1, 2, 3, 4], 0, 4, false]);
    },
  },
  {
    rule: 23,
    says: 'score-first; equal scores by sequence, stable across pulls',
    on: ALL,
    async check(w) {
      await w.fill([{ score: 0.5 }, { score: 0.9 }, { score: 0.5 }, { score: 0.9 }]);
      expect(seqs(await w.pull())).toEqual([2, 4, 1, 3]);
      expect(seqs(await w.pull())).toEqual([2, 4, 1, 3]);
    },
  },
  {
    rule: 24,
    says: 'items re-read below the cursor equal the originals',
    on: ALL,
    async check(w) {
      await w.fill([{ content: 'a “quoted” \\ \u{1F600} <b>' }, { tags: ['x', 'y'] }, 'visible', 'visible']);
      const { items } = await w.pull();
      await w.pull({ ack: 4 });
      expect((await w.pull({ since: 0 })).items).toEqual(items);
    },
  },
  {
    rule: 25,
    says: 'no row becomes visible at or below a returned window_high',
    on: ALL,
    async check(w) {
      const seen = new Set<number>();
      let high = 0;
      let open = true;
      const appends = Promise.all(
        Array.from({ length: 8 }, async (_, sender) => {
          for (let i = 0; i < 10; i++) await w.service.deliver({ recipient: 'bob', content: `${sender}.${i}` });
        }),
      ).finally(() => {
        open = false;
      });
      const drain = async () => {
        for (;;) {
          const last = !open;
          const page = await w.pull({ since: high });
          for (const seq of seqs(page)) {
            expect(seq).toBeGreaterThan(high);
            seen.add(seq);
          }
          if (page.items.length > 0) high = page.window_high;
          else if (last) return;
        }
      };
      await Promise.all([appends, drain()]);
      expect(seen.size).toBe(80);
    },
  },
  {
    rule: 26,
    says: 'gapped sequences (3, 7, 40) are legal; n counts rows',
    on: ALL,
    async check(w) {
      for (const seq of [3, 7, 40]) {
        await w.skipTo(seq);
        await w.fill(1);
      }
      expect(brief(await w.pull({ limit: 2 }))).toEqual([[3, 7], 0, 7, true]);
      expect(brief(await w.pull({ ack: 39, limit: 2 }))).toEqual([[40], 7, 40, false]);
      expect(brief(await w.pull({ ack: 40 }))).toEqual([[], 40, 40, false]);
    },
  },
  {
    rule: 27,
    says: '0 and 42.0 are integers; -1, 1.5, "4", null, booleans and unsafe numbers are errors',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      expect(brief(await w.pull({ ack: 0, since: 0 }))).toEqual([[1, 2, 3, 4], 0, 4, true]);
      expect((await w.pull({ since: JSON.parse('42.0') })).items).toEqual([]);
      for (const bad of [-1, 1.5, '4', null, true, [4], 2 ** 53, 1e300]) {
        for (const key of ['since', 'ack', 'limit']) {
          await refused(w.pull({ [key]: bad }), 'bad_input', inputShape[w.on.name]);
        }
      }
      expect((await w.pull()).cursor).toBe(0);
    },
  },
  {
    rule: 28,
    says: 'failed validation changes nothing: {ack:4,limit:0} leaves cursor 0',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      await refused(w.pull({ ack: 4, limit: 0 }), 'bad_input');
      expect((await w.pull()).cursor).toBe(0);
    },
  },
  {
    rule: 29,
    says: 'an unknown key, agent_id above all, is an error and is not ignored',
    on: ['rest', 'mcp'],
    why: 'in-process arguments are typed: the compiler refuses unknown keys',
    async check(w) {
      await w.fill(TWELVE);
      for (const key of ['agent_id', 'top', 'Ack', '__proto__x']) {
        await refused(w.pull({ ack: 4, [key]: 1 }), 'bad_input', inputShape[w.on.name]);
      }
      expect((await w.pull()).cursor).toBe(0);
    },
  },
  {
    rule: 30,
    says: 'two tokens never see each other’s rows or cursors',
    on: ALL,
    async check(w) {
      await w.fill(4);
      await w.service.deliver({ recipient: 'alice', content: 'for alice' });
      await w.pull({ ack: 4 });
      const page = await w.on.pull(w.alice.token, {});
      expect(page.items.map(item => item.diff.content)).toEqual(['for alice']);
      expect(page.cursor).toBe(0);
      expect((await w.pull({ since: 0 })).items).toHaveLength(4);
    },
  },
  {
    rule: 31,
    says: 'input errors: MCP an isError result, unknown tool -32602; REST 400',
    on: ['rest', 'mcp'],
    why: 'the shape of an error is the surface’s; gRPC answers with code 3 once it exists',
    async check(w) {
      await refused(w.pull({ ack: -1 }), 'bad_input', inputShape[w.on.name]);
      if (w.on.name !== 'mcp') return;
      const client = await mcpClient(w.url, w.bob.token);
      await expect(client.callTool({ name: 'pull_outbox', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    },
  },
  {
    rule: 32,
    says: 'structuredContent deep-equals JSON.parse(content[0].text); isError false',
    on: ['mcp'],
    why: 'only MCP carries a result twice',
    async check(w) {
      await w.fill([{ content: '"\u2028 \u{1F600}' }, 'visible']);
      const client = await mcpClient(w.url, w.bob.token);
      for (const name of ['pull_inbox', 'inbox', 'whoami', 'list_agents']) {
        const result = (await client.callTool({ name, arguments: {} })) as unknown as ToolResult;
        expect(result.content).toHaveLength(1);
        expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
        expect(result.isError).toBe(false);
      }
    },
  },
  {
    rule: 33,
    says: 'hints: pull_inbox f/f/f/f, inbox t/f/t/f',
    on: ['mcp'],
    why: 'only MCP has hints',
    async check(w) {
      const { tools } = await (await mcpClient(w.url, w.bob.token)).listTools();
      const hints = (name: string) => tools.find(tool => tool.name === name)?.annotations;
      const closed = { destructiveHint: false, openWorldHint: false };
      expect(hints('pull_inbox')).toEqual({ readOnlyHint: false, idempotentHint: false, ...closed });
      expect(hints('inbox')).toEqual({ readOnlyHint: true, idempotentHint: true, ...closed });
    },
  },
  {
    rule: 34,
    says: 'all surfaces share one cursor: ack on one, observe on the others',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      await w.pull({ ack: 3 });
      for (const other of Object.values(w.surfaces)) {
        expect(brief(await other.pull(w.bob.token, {}))).toEqual([[4, 5, 6, 7], 3, 7, true]);
      }
    },
  },
  {
    rule: 35,
    says: 'no, unknown or revoked token: unauthenticated (401 over HTTP)',
    on: ALL,
    async check(w) {
      const shape = w.on.name === 'in-process' ? 'thrown' : 'HTTP 401';
      for (const token of ['', 'prt_unknown']) await refused(w.on.pull(token, {}), 'unauthenticated', shape);
      await w.pull();
      const [token] = await w.service.listTokens('bob');
      await w.service.revokeToken(token!.id);
      await refused(w.pull(), 'unauthenticated', shape);
    },
  },
  {
    rule: 36,
    says: 'the cursor survives a restart and new sessions',
    on: ALL,
    async check(w) {
      const dir = mkdtempSync(join(tmpdir(), 'preturn-rule36-'));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      const start = () => createRelay({ store: `sqlite:${join(dir, 'relay.db')}`, maxBatch: 4 });
      const first = await start();
      const { token } = await first.addAgent({ handle: 'bob' });
      await first.service.deliverAll(Array.from({ length: 12 }, () => ({ recipient: 'bob', content: 'x' })));
      const use = async (relay: typeof first, args: unknown) => {
        const { url } = await relay.listen();
        const surface = { 'in-process': inProcess(relay.service), rest: rest(url), mcp: mcp(url) }[w.on.name];
        return surface.pull(token, args);
      };
      const before = await use(first, { ack: 4 });
      await first.close();
      const second = await start();
      onTestFinished(() => second.close());
      expect(await use(second, {})).toEqual({ ...before, beside: { ...before.beside, ack: undefined } });
    },
  },
  {
    rule: 37,
    says: 'concurrent {ack:4} and {ack:3} end at 4 in any order',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      const pages = await Promise.all([3, 4, 3, 4, 2].map(ack => w.pull({ ack })));
      // Ack and read are one transaction: each page starts at the cursor it reports.
      for (const page of pages) expect(Math.min(...seqs(page))).toBe(page.cursor + 1);
      expect((await w.pull()).cursor).toBe(4);
    },
  },
  {
    rule: 38,
    says: 'two sessions may both read 1–4; the slower sees a cursor above anything it sent, without error',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      const [a, b] = await Promise.all([w.pull(), w.pull()]);
      expect(seqs(a)).toEqual(seqs(b));
      await w.pull({ ack: 4 });
      await w.pull({ ack: 8 });
      expect(brief(await w.pull({ ack: 2 }))).toEqual([[9, 10, 11, 12], 8, 12, false]);
    },
  },
  {
    rule: 39,
    says: 'the response to {ack:4} lost: an identical retry is safe',
    on: ALL,
    async check(w) {
      await w.fill(TWELVE);
      const lost = await w.pull({ ack: 4 });
      expect(await w.pull({ ack: 4 })).toEqual(lost);
    },
  },
];
