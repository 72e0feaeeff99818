import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS } from './rig/clients.ts';
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
    const isSubagent = (request: ModelRequest) =>
      occurrences(request, TASK) > 0 && !request.parts.some(part => part.text.includes('Say hi.'));
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
