import { afterEach, describe, expect, test } from 'vitest';
import { parseBlock } from '../helpers/block.ts';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS_AND_OLDER, CODEX, type Open } from './rig/clients.ts';
import { landed, occurrences } from './rig/landed.ts';

/** (c) What the client threw away is shown again on the next turn, marked as a possible repeat, then acknowledged. */
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

async function start(openClient: Open): Promise<Bench> {
  const bench = await openBench(openClient);
  benches.push(bench);
  await bench.post.send({ content: 'MAIL-ONE' });
  return bench;
}

/** One more turn with the plain hook: it must show the mail again, say so, and settle it. */
async function expectRepeat(bench: Bench, resume: boolean): Promise<void> {
  const hook = await bench.register();
  const turn = await bench.turn({ prompt: 'Again.', resume });
  const block = (await hook.runs())[0]?.block ?? '';
  expect(block).toContain('MAIL-ONE');
  expect(block).toContain('repeat="possible"');
  expect(landed(turn.requests[0]!, block).map(part => part.role)).toEqual([bench.session.role]);
  expect(await bench.post.cursor()).toBe(1);
}

const LONG = `MAIL-LONG ${'all work and no play '.repeat(150)}`;

describe.each(CLIENTS_AND_OLDER)('$title', ({ client, open }) => {
  test('(c) the harness ran out of patience after the hook had printed', async () => {
    const bench = await start(open);
    const hook = await bench.register({ lingerS: 30, timeoutS: 3 });
    const turn = await bench.turn({ prompt: 'First.' });
    expect((await hook.runs())[0]?.block).toContain('MAIL-ONE');
    expect(occurrences(turn.requests[0]!, 'MAIL-ONE')).toBe(0);
    expect(await bench.post.cursor()).toBe(0);
    await expectRepeat(bench, true);
  });

  test.each([true, false])('(c) interrupted while the hook ran, then the same session: %s', async resume => {
    const bench = await start(open);
    const hook = await bench.register({ lingerS: 30 });
    const turn = await bench.turn({ prompt: 'First.', signal: { name: 'SIGINT', when: hook.ended(1) } });
    expect(turn.requests).toEqual([]);
    expect(await bench.post.cursor()).toBe(0);
    await expectRepeat(bench, resume);
  });

  test("(c) cut by the client's own cap", async () => {
    const bench = await start(open);
    await bench.post.send({ content: LONG });
    // Codex lets a user lower the cap; for Claude Code something between hook and client makes the text longer.
    const hook = await bench.register(client === 'codex' ? { codexLimit: 120 } : { padding: 9_100 });
    const turn = await bench.turn({ prompt: 'First.' });
    const block = (await hook.runs())[0]?.block ?? '';
    expect(landed(turn.requests[0]!, block)).toHaveLength(0);
    expect(await bench.post.cursor()).toBe(0);

    const next = await bench.register();
    await bench.turn({ prompt: 'Again.', resume: true });
    const repeat = (await next.runs())[0]?.block ?? '';
    expect(repeat).toContain('MAIL-ONE');
    expect(repeat).toContain('MAIL-LONG');
    expect(repeat).toContain('repeat="possible"');
    expect(await bench.post.cursor()).toBe(2);
  });

  test.each([
    ['the model failed', { replies: [{ fail: 500 }] }],
    ['interrupted while the model wrote', { replies: [{ text: 'late', delayMs: 20_000 }], signal: 'SIGINT' }],
    ['killed while the model wrote', { replies: [{ text: 'late', delayMs: 20_000 }], signal: 'SIGKILL' }],
  ] as const)(
    '%s: the mail stays in the history, is not shown twice, and is settled by the first answer',
    async (_name, { replies, ...given }) => {
      const bench = await start(open);
      const hook = await bench.register();
      // A client that is killed before it has written its transcript leaves a session that nobody can resume.
      const when = bench.session.model.asked(1).then(() => bench.session.written('MAIL-ONE'));
      const signal = 'signal' in given && { signal: { name: given.signal, when } };
      const failed = await bench.turn({ prompt: 'First.', replies, ...signal });
      expect(failed.requests.map(request => occurrences(request, 'MAIL-ONE'))).toEqual([1]);
      expect(await bench.post.cursor()).toBe(0);

      // Another session of the same identity leaves it to this one.
      const session = String((await hook.runs())[0]?.stdin.session_id);
      const other = await bench.turn({ prompt: 'Elsewhere.' });
      expect(occurrences(other.requests[0]!, 'MAIL-ONE')).toBe(0);
      expect(await bench.post.cursor()).toBe(0);

      const next = await bench.turn({ prompt: 'Again.', resume: session });
      expect(next).toMatchObject({ code: 0 });
      expect(occurrences(next.requests[0]!, 'MAIL-ONE')).toBe(1);
      expect(await bench.post.cursor()).toBe(1);
      const printed = (await hook.runs()).filter(run => run.stdout !== '');
      expect(printed).toHaveLength(1);
    },
  );
});

describe(CODEX.title, () => {
  // What a cap of so many tokens lets through whole: nothing of ours, bare lines, digests.
  test.each([
    [10, ['full', 'full', 'digest', 'digest', 'line', 'line'], undefined],
    [120, ['full', 'full', 'digest', 'digest', 'line'], 5],
    [300, ['full', 'full', 'digest'], 3],
  ])(
    '(c) under a cap of %d tokens set by the user, repeats shrink until they fit, and are not settled before',
    async (codexLimit, tiers, settledIn) => {
      const bench = await start(CODEX.open);
      await bench.post.send({ content: LONG });
      const hook = await bench.register({ codexLimit });
      const seen: { readonly first: string | undefined; readonly second: string | undefined }[] = [];
      for (const index of tiers.keys()) {
        const { requests } = await bench.turn({ prompt: `Turn ${index}.`, resume: index > 0 });
        const block = (await hook.last('UserPromptSubmit'))?.block ?? '';
        const items = tiersIn(block);
        seen.push({ first: items['1'], second: items['2'] });
        expect(block.includes('repeat="possible"')).toBe(index > 0);
        const fits = index + 1 === settledIn;
        expect(landed(requests[0]!, block)).toHaveLength(fits ? 1 : 0);
        expect(await bench.post.cursor()).toBe(fits ? 2 : 0);
      }
      expect(seen).toEqual(tiers.map(tier => ({ first: tier, second: tier })));
      const notices = (await hook.runs()).map(run => run.notice).filter(notice => notice !== undefined);
      // Told once, when nothing shorter is left to try.
      expect(notices).toHaveLength(tiers.includes('line') ? 1 : 0);

      // The user takes the cap away: what is not settled yet gets through now.
      const last = await bench.register();
      const { requests } = await bench.turn({ prompt: 'Last.', resume: true });
      const block = (await last.last('UserPromptSubmit'))?.block;
      expect(block === undefined).toBe(settledIn !== undefined);
      if (block !== undefined) expect(landed(requests[0]!, block)).toHaveLength(1);
      expect(await bench.post.cursor()).toBe(2);
    },
  );
});

/** Tier of each item of a block by its sequence. */
function tiersIn(block: string): Record<string, string> {
  const items = parseBlock(block).items.map(({ attributes }) => [attributes.seq, attributes.tier ?? 'full']);
  return Object.fromEntries(items);
}
