import type { Turn } from './harness.ts';

type Json = Readonly<Record<string, unknown>>;

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Events that only prove and acknowledge. */
const PROVING = new Set(['Stop', 'SessionEnd']);

/**
 * The stdin that Claude Code and Codex share. A subagent (`agent_id`) gets nothing and acknowledges nothing:
 * Codex runs the prompt hook for subagents under the parent's session id.
 */
export function nested(stdin: Json | undefined, turnKey: 'prompt_id' | 'turn_id'): Turn {
  const event = text(stdin?.hook_event_name) ?? '';
  const subagent = text(stdin?.agent_id) !== undefined;
  const optional = {
    turn: text(stdin?.[turnKey]),
    transcript: text(stdin?.transcript_path),
    cwd: text(stdin?.cwd),
    prompt: typeof stdin?.prompt === 'string' ? stdin.prompt : undefined,
  };
  return {
    event,
    action: subagent ? 'ignore' : event === 'UserPromptSubmit' ? 'prompt' : PROVING.has(event) ? 'prove' : 'ignore',
    session: text(stdin?.session_id) ?? '',
    ...(optional.turn === undefined ? {} : { turn: optional.turn }),
    ...(optional.transcript === undefined ? {} : { transcript: optional.transcript }),
    ...(optional.cwd === undefined ? {} : { cwd: optional.cwd }),
    ...(optional.prompt === undefined ? {} : { prompt: optional.prompt }),
  };
}
