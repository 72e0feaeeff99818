import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS, type Open } from './rig/clients.ts';
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
  expect(block).toMatch(/repeat/i);
  expect(landed(turn.requests[0]!, block).map(part => part.role)).toEqual([bench.session.role]);
  expect(await bench.post.cursor()).toBe(1);
}

describe.each(CLIENTS)('$title', ({ client, open }) => {
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
    await bench.post.send({ content: `MAIL-LONG ${'all work and no play '.repeat(150)}` });
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
    expect(repeat).toMatch(/repeat/i);
    expect(await bench.post.cursor()).toBe(2);
  });

  test('the model failed: the mail is in the history, and is acknowledged once a reply has come', async () => {
    const bench = await start(open);
    await bench.register();
    const failed = await bench.turn({ prompt: 'First.', replies: [{ fail: 500 }] });
    expect(failed.code).toBe(1);
    expect(await bench.post.cursor()).toBe(0);
    const next = await bench.turn({ prompt: 'Again.', resume: true });
    expect(occurrences(next.requests[0]!, 'MAIL-ONE')).toBeGreaterThanOrEqual(1);
    expect(await bench.post.cursor()).toBe(1);
  });
});
