import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLAUDE, CLIENTS } from './rig/clients.ts';
import { occurrences, without } from './rig/landed.ts';
import type { ModelRequest, Step } from './rig/model.ts';

/** (f) A subagent gets nothing and acknowledges nothing. */
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

const TASK = 'SUBTASK count the files';

const SPAWN = {
  claude: {
    tool: 'Agent',
    input: { description: 'count', prompt: TASK, subagent_type: 'general-purpose', run_in_background: false },
  },
  codex: { tool: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: TASK } },
} as const;

/** A request of the subagent: its task is there, and the main agent's prompt is not. */
const isSubagent = (request: ModelRequest) =>
  occurrences(request, TASK) > 0 && !request.parts.some(part => part.text.includes('Say hi.'));

describe.each(CLIENTS)('$title', ({ client, open }) => {
  test('(f) mail that comes while a subagent works waits for the next turn', async () => {
    const bench = await openBench(open);
    benches.push(bench);
    const hook = await bench.register();
    const [first] = await bench.post.send({ content: 'MAIL-ONE' });

    // The main agent's second reply waits for the subagent's request: `codex exec` would end without it.
    let asked = () => {};
    const subagentAsked = new Promise<void>(resolve => {
      asked = resolve;
    });
    const answer: Step = async request => {
      if (isSubagent(request)) asked();
      else await subagentAsked;
      return { text: 'done' };
    };
    const spawn: Step = async () => {
      await bench.post.send({ content: 'MAIL-TWO' });
      return SPAWN[client];
    };
    const turn = await bench.turn({
      prompt: 'Say hi.',
      replies: [spawn, answer, answer, answer],
      args: client === 'claude' ? ['--allowedTools', 'Agent'] : [],
    });

    expect(turn.code).toBe(0);
    const subagent = turn.requests.filter(isSubagent);
    expect(subagent).toHaveLength(1);
    expect(without(subagent[0]!, [])).not.toMatch(/preturn|MAIL-/i);
    for (const request of turn.requests) expect(occurrences(request, 'MAIL-TWO')).toBe(0);
    expect(await bench.post.cursor()).toBe(first);
    const ofSubagent = (await hook.runs()).filter(run => run.stdin.agent_id !== undefined);
    // Codex runs the prompt hook for its subagents, Claude Code does not.
    expect(ofSubagent.map(run => [run.event, run.stdout, run.code])).toEqual(
      client === 'codex' ? [['UserPromptSubmit', '', 0]] : [],
    );

    const next = await bench.turn({ prompt: 'Next.', resume: true });
    expect(occurrences(next.requests[0]!, 'MAIL-TWO')).toBe(1);
  });
});

describe(CLAUDE.title, () => {
  test('(f) a subagent in the background gets nothing; the turn that reports its end does drain', async () => {
    const bench = await openBench(CLAUDE.open);
    benches.push(bench);
    const hook = await bench.register();
    const answer: Step = async request => {
      if (isSubagent(request)) {
        // Later than the main turn's end: its report is then a turn of its own.
        await hook.ended(1, 'Stop');
        await bench.post.send({ content: 'MAIL-ONE' });
      }
      return { text: 'done' };
    };
    const { run_in_background: _, ...input } = SPAWN.claude.input;
    const turn = await bench.turn({
      prompt: 'Say hi.',
      replies: [{ tool: 'Agent', input: { ...input, run_in_background: true } }, answer, answer, answer],
      args: ['--allowedTools', 'Agent'],
    });
    expect(turn.code).toBe(0);
    const subagent = turn.requests.filter(isSubagent);
    expect(subagent.map(request => occurrences(request, 'MAIL-ONE'))).toEqual([0]);
    const prompts = (await hook.runs()).filter(run => run.event === 'UserPromptSubmit');
    expect(prompts).toHaveLength(2);
    expect(prompts[1]?.stdin.prompt).toContain('<task-notification>');
    expect(prompts.map(run => run.block?.includes('MAIL-ONE') ?? false)).toEqual([false, true]);
    expect(occurrences(turn.requests.at(-1)!, 'MAIL-ONE')).toBe(1);
    expect(await bench.post.cursor()).toBe(1);
  });
});
