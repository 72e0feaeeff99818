import { envelope } from './claude-code.ts';
import type { Evidence, Harness, TranscriptFact, Turn } from './harness.ts';
import { nested, object, text } from './shared.ts';

type Json = Readonly<Record<string, unknown>>;

/** Rollout items that only a model's reply leaves: any of them proves that the request went through. */
const MODEL_ITEMS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'reasoning', 'web_search_call']);

/**
 * Codex: `UserPromptSubmit` injects a developer message, `Stop` and `SessionEnd` prove.
 * Its rollout is a JSONL file in order; observed on 0.171.
 */
export const codex: Harness = {
  name: 'codex',
  // 2,500 tokens counted as bytes/4; above it head and tail are kept and the middle is cut.
  caps: { bytes: 10_000, utf16: 0 },
  proof: 'transcript',

  recognise(stdin) {
    if (!stdin || typeof stdin.session_id !== 'string' || typeof stdin.hook_event_name !== 'string') return false;
    return !('timestamp' in stdin) && ('turn_id' in stdin || isRollout(stdin.transcript_path));
  },

  parse(stdin): Turn {
    return nested(stdin, 'turn_id');
  },

  format(turn, out) {
    return envelope(turn, out);
  },

  facts(record): TranscriptFact {
    const evidence = read(record);
    return evidence === undefined ? {} : { evidence };
  },
};

/** SessionEnd carries no turn_id; its transcript is named `rollout-….jsonl`. */
function isRollout(path: unknown): boolean {
  return typeof path === 'string' && /[/\\]rollout-[^/\\]+\.jsonl$/.test(path);
}

function read(record: Json): Evidence | undefined {
  const payload = object(record.payload);
  if (!payload) return undefined;
  if (record.type === 'turn_context') {
    const turn = text(payload.turn_id);
    return turn === undefined ? undefined : { kind: 'turn', turn };
  }
  if (record.type === 'event_msg') {
    const turn = text(payload.turn_id);
    const over = payload.type === 'turn_aborted' || payload.type === 'task_complete';
    return over && turn !== undefined ? { kind: 'ended', turn } : undefined;
  }
  if (record.type !== 'response_item') return undefined;
  if (MODEL_ITEMS.has(text(payload.type) ?? '')) return { kind: 'answer' };
  if (payload.type !== 'message') return undefined;
  if (payload.role === 'assistant') return { kind: 'answer' };
  if (payload.role !== 'developer') return undefined;
  const kinds = object(payload.internal_chat_message_metadata_passthrough)?.content_item_kinds;
  if (!Array.isArray(kinds) || !Array.isArray(payload.content)) return undefined;
  const texts = payload.content
    .filter((_, i) => kinds[i] === 'hooks.additional_context')
    .map(part => text(object(part)?.text))
    .filter(part => part !== undefined);
  return texts.length > 0 ? { kind: 'context', texts } : undefined;
}
