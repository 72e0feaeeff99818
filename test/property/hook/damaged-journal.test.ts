import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJournal } from '../../../src/journal/journal.ts';
import { openRelayService, type RelayService } from '../../../src/relay/service.ts';
import { pullFrom } from '../../../src/sources/hyphae/file.ts';
import type { PullRequest, Source } from '../../../src/sources/source.ts';
import { cases } from '../../helpers/cases.ts';
import { Bench, isEnvelope } from './bench.ts';

const ORIGIN = 'file:/relay.db';
let bench: Bench;
let relay: RelayService;
let source: Source;
/** A journal in the middle of its life: some rows proven, a block under way. */
let valid: string;
let dir: string;
const asked: PullRequest[] = [];

beforeAll(async () => {
  bench = new Bench();
  relay = await openRelayService({ path: ':memory:', maxBatch: 6 });
  await relay.addAgent({ handle: 'bob' });
  const me = await relay.actAs('bob');
  source = {
    name: 'env',
    origin: ORIGIN,
    pull(request) {
      asked.push(request);
      return pullFrom(relay, me, request, { name: 'env', origin: ORIGIN });
    },
  };
  const more = async (count: number) => {
    for (let i = 0; i < count; i++) await relay.deliver({ recipient: 'bob', content: `mail ${'x'.repeat(300)}` });
  };
  await more(4);
  const env = { PRETURN_ACK: 'next-turn', PRETURN_MAX_TOKENS: '400' };
  await bench.run('UserPromptSubmit', source, env);
  await more(6);
  await bench.run('UserPromptSubmit', source, env);
  const inboxes = join(bench.dir, 'state', 'inboxes');
  dir = join(inboxes, readdirSync(inboxes)[0]!);
  valid = readFileSync(join(dir, 'journal.json'), 'utf8');
});
afterAll(async () => {
  bench.close();
  await relay.close();
});

/** Paths of everything in a JSON value. */
function paths(value: unknown, at: readonly string[] = []): string[][] {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[...at], ...below.flatMap(([key, item]) => paths(item, [...at, key]))];
}
function put(root: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Record<string, unknown>;
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = put(copy[key], rest, value);
  return copy;
}

const damage = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      place: fc.nat(),
      value: fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.maxSafeInteger()),
    }),
  },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ text: fc.oneof(fc.json(), fc.string({ unit: 'binary' })) }) },
);

function damaged(how: { place?: number; value?: unknown; cut?: number; text?: string }): string {
  if (how.text !== undefined) return how.text;
  if (how.cut !== undefined) return valid.slice(0, how.cut % valid.length);
  const root = JSON.parse(valid) as unknown;
  const all = paths(root);
  return JSON.stringify(put(root, all[how.place! % all.length]!, how.value)) ?? '';
}

it('a journal with anything wrong in it: the turn runs, and what is lost acknowledges nothing', async () => {
  const { epoch } = JSON.parse(valid) as { epoch: string };
  expect(epoch).toMatch(/./);
  let whole = 0;
  let lost = 0;
  await fc.assert(
    fc.asyncProperty(damage, fc.constantFrom('UserPromptSubmit' as const, 'Stop' as const), async (how, event) => {
      writeFileSync(join(dir, 'journal.json'), damaged(how));
      const opened = openJournal(dir, { origin: ORIGIN, identity: 'bob' }, 'x');
      opened.lost ? lost++ : whole++;
      asked.length = 0;
      const { printed, report } = await bench.run(event, source, { PRETURN_ACK: 'confirmed' });
      expect(report.outcome).toBe('ran');
      expect(isEnvelope(printed)).toBe(true);
      if (opened.lost) expect(asked.filter(request => request.ack !== undefined)).toEqual([]);
    }),
    { numRuns: cases() },
  );
  expect([whole > cases() / 20, lost > cases() / 20], 'both kinds must come').toEqual([true, true]);
});
