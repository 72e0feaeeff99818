import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLAUDE } from './rig/clients.ts';
import { occurrences } from './rig/landed.ts';

/** Prompts that a person sends while a turn runs: each may bring mail, and each message comes once. */
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

async function start(): Promise<Bench> {
  const bench = await openBench(CLAUDE.open);
  benches.push(bench);
  return bench;
}

describe(CLAUDE.title, () => {
  test('absorbed while a tool runs, under the prompt id of the first: it brings what came meanwhile, once', async () => {
    const bench = await start();
    const hook = await bench.register();
    await bench.post.send({ content: 'MAIL-ONE' });
    const asked = bench.session.model.asked(1);
    const turn = await bench.turn({
      prompt: 'First.',
      args: ['--allowedTools', 'Bash'],
      replies: [
        async () => {
          await bench.post.send({ content: 'MAIL-TWO' });
          return { tool: 'Bash', input: { command: 'sleep 2' } };
        },
      ],
      later: [{ prompt: 'Second.', when: asked }],
    });
    const prompts = (await hook.runs()).filter(run => run.event === 'UserPromptSubmit');
    expect(prompts.map(run => run.stdin.prompt)).toEqual(['First.', 'Second.']);
    expect(new Set(prompts.map(run => run.stdin.prompt_id)).size).toBe(1);
    expect(prompts[1]?.block).toContain('MAIL-TWO');
    expect(prompts[1]?.block).not.toContain('MAIL-ONE');
    expect(turn.requests.map(request => occurrences(request, 'MAIL-ONE'))).toEqual([1, 1]);
    expect(turn.requests.map(request => occurrences(request, 'MAIL-TWO'))).toEqual([0, 1]);
    expect(await bench.post.cursor()).toBe(2);
    const next = await bench.turn({ prompt: 'Third.', resume: true });
    for (const mail of ['MAIL-ONE', 'MAIL-TWO']) expect(occurrences(next.requests[0]!, mail)).toBe(1);
  });

  test('queued while the model writes: a turn of its own, which brings what came meanwhile, once', async () => {
    const bench = await start();
    const hook = await bench.register();
    await bench.post.send({ content: 'MAIL-ONE' });
    const asked = bench.session.model.asked(1);
    const turn = await bench.turn({
      prompt: 'First.',
      replies: [
        async () => {
          await bench.post.send({ content: 'MAIL-TWO' });
          return { text: 'slow', delayMs: 1_000 };
        },
      ],
      later: [{ prompt: 'Second.', when: asked }],
    });
    const prompts = (await hook.runs()).filter(run => run.event === 'UserPromptSubmit');
    expect(prompts.map(run => run.stdin.prompt)).toEqual(['First.', 'Second.']);
    expect(new Set(prompts.map(run => run.stdin.prompt_id)).size).toBe(2);
    expect(turn.requests.map(request => occurrences(request, 'MAIL-ONE'))).toEqual([1, 1]);
    expect(turn.requests.map(request => occurrences(request, 'MAIL-TWO'))).toEqual([0, 1]);
    expect(await bench.post.cursor()).toBe(2);
  });
});
