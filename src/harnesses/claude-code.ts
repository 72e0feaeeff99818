import type { Evidence, Harness, TranscriptFact, Turn } from './harness.ts';
import { nested, object, text } from './shared.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Claude Code: `UserPromptSubmit` injects, `Stop` and `SessionEnd` prove.
 * Its transcript is a tree of JSONL records linked by `parentUuid`; observed on 2.1.x.
 */
export const claudeCode: Harness = {
  name: 'claude-code',
  // Over 10,000 UTF-16 units the model gets a 2 KB preview of the text.
  caps: { bytes: 0, utf16: 10_000 },
  proof: 'transcript',

  recognise(stdin) {
    if (!stdin || typeof stdin.session_id !== 'string' || typeof stdin.hook_event_name !== 'string') return false;
    // Codex adds turn_id and model; Gemini and Qwen add timestamp.
    return !('turn_id' in stdin) && !('timestamp' in stdin) && !('submitted_prompt' in stdin);
  },

  parse(stdin): Turn {
    return nested(stdin, 'prompt_id');
  },

  format(turn, out) {
    return envelope(turn, out);
  },

  facts(record): TranscriptFact {
    const id = text(record.uuid);
    const parent = text(record.parentUuid);
    const evidence = record.isSidechain === true ? undefined : read(record);
    return {
      ...(id === undefined ? {} : { id }),
      ...(parent === undefined ? {} : { parent }),
      ...(evidence === undefined ? {} : { evidence }),
    };
  },
};

function read(record: Json): Evidence | undefined {
  if (record.type === 'attachment') {
    const attachment = object(record.attachment);
    if (attachment?.hookEvent !== 'UserPromptSubmit') return undefined;
    if (attachment.type !== 'hook_additional_context') return undefined;
    const content = Array.isArray(attachment.content) ? attachment.content : [attachment.content];
    return { kind: 'context', texts: content.filter(part => typeof part === 'string') };
  }
  const message = object(record.message);
  if (record.type === 'assistant') {
    // API errors and "No response requested." are written as assistant records, but no model saw the context.
    if (record.isApiErrorMessage === true || message?.model === '<synthetic>') return undefined;
    return { kind: 'answer' };
  }
  if (record.type === 'user') {
    const turn = text(record.promptId);
    if (turn === undefined) return undefined;
    return isInterrupt(message) ? { kind: 'ended', turn } : { kind: 'turn', turn };
  }
  return undefined;
}

/** `[Request interrupted by user]`, written by the client itself under the interrupted prompt's id. */
function isInterrupt(message: Json | undefined): boolean {
  const first = Array.isArray(message?.content) ? object(message.content[0]) : undefined;
  return text(first?.text)?.startsWith('[Request interrupted by user') ?? false;
}

/** The envelope that Claude Code and Codex share; no other key may stand beside these (Codex drops everything then). */
export function envelope(turn: Turn, out: { readonly block: string | null; readonly notice: string | null }): string {
  if (out.block === null && out.notice === null) return '';
  return JSON.stringify({
    ...(out.notice === null ? {} : { systemMessage: out.notice }),
    ...(out.block === null ? {} : { hookSpecificOutput: { hookEventName: turn.event, additionalContext: out.block } }),
  });
}
