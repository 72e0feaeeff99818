import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export type Dialect = 'claude-code' | 'codex';

/** What the client did with the hook's output, and with the turn. */
export type Fate = 'given' | 'discarded' | 'cut' | 'interrupted' | 'vanished';

interface Block {
  readonly sequences: number[];
}

/** One session of an agent client: it writes the transcript that the real one would (observed on both clients). */
export class SimSession {
  readonly id: string;
  readonly dialect: Dialect;
  readonly transcript: string;
  /** Cap of this session's blocks, estimated tokens. */
  maxTokens = 600;
  /** A prompt was submitted and its turn has not ended. */
  busy = false;
  private turn = '';
  private turns = 0;
  private uuids = 0;
  private leaf: string | null = null;
  /** In the model's context, not yet answered. */
  private placed: Block[] = [];

  constructor(dir: string, dialect: Dialect, index: number) {
    this.dialect = dialect;
    this.id = `session-${index}`;
    this.transcript = join(dir, dialect === 'codex' ? `rollout-${index}.jsonl` : `${this.id}.jsonl`);
  }

  stdin(event: string): Record<string, unknown> {
    const common = { session_id: this.id, transcript_path: this.transcript, cwd: '/project', hook_event_name: event };
    const turnKey = this.dialect === 'codex' ? 'turn_id' : 'prompt_id';
    return {
      ...common,
      [turnKey]: this.turn,
      ...(event === 'UserPromptSubmit' ? { prompt: `prompt ${this.turns}` } : {}),
    };
  }

  nextTurn(): void {
    this.turn = `${this.id}-turn-${++this.turns}`;
    this.busy = true;
  }

  /** The client takes, or does not take, what the hook printed. */
  receive(printed: string | undefined, fate: Fate): void {
    const block = printed ? blockOf(printed) : undefined;
    if (fate === 'vanished' || fate === 'interrupted') {
      if (fate === 'interrupted') this.write(this.interrupt());
      this.over();
      return;
    }
    this.write(...this.prompt());
    if (block === undefined) return;
    if (fate === 'discarded') {
      if (this.dialect === 'claude-code')
        this.node({
          type: 'attachment',
          attachment: { type: 'hook_cancelled', hookEvent: 'UserPromptSubmit', timedOut: true },
        });
      return;
    }
    const text = fate === 'cut' ? `${block.slice(0, 200)}…${block.slice(-200)}` : block;
    if (fate === 'given') this.placed.push({ sequences: sequencesOf(block) });
    if (this.dialect === 'claude-code') {
      this.node({
        type: 'attachment',
        attachment: { type: 'hook_additional_context', content: [text], hookEvent: 'UserPromptSubmit' },
      });
    } else {
      const meta = { turn_id: this.turn, content_item_kinds: ['hooks.additional_context'] };
      this.item({
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text }],
        internal_chat_message_metadata_passthrough: meta,
      });
    }
  }

  /** The model answers: everything in its context was given to it. */
  answer(): number[] {
    if (this.dialect === 'claude-code')
      this.node({ type: 'assistant', message: { role: 'assistant', model: 'claude-x', content: [] } });
    else this.item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] });
    const seen = this.placed.flatMap(block => block.sequences);
    this.placed = [];
    return seen;
  }

  /** The model API failed: the context stays, and is sent again with the next prompt. */
  fail(): void {
    if (this.dialect === 'claude-code') {
      this.node({
        type: 'assistant',
        isApiErrorMessage: true,
        message: { role: 'assistant', model: '<synthetic>', content: [] },
      });
    } else {
      this.write({
        type: 'event_msg',
        payload: { type: 'task_complete', turn_id: this.turn, last_agent_message: null },
      });
    }
    this.over();
  }

  over(): void {
    this.busy = false;
  }

  pendingItems(): number {
    return this.placed.reduce((sum, block) => sum + block.sequences.length, 0);
  }

  forgetItems(): void {
    this.placed = [];
  }

  keepItems(keep: (seq: number) => boolean): void {
    this.placed = this.placed.map(block => ({ sequences: block.sequences.filter(keep) }));
  }

  private prompt(): object[] {
    if (this.dialect === 'codex') {
      return [
        { type: 'turn_context', payload: { turn_id: this.turn } },
        {
          type: 'response_item',
          payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        },
      ];
    }
    return [this.link({ type: 'user', promptId: this.turn, message: { role: 'user', content: 'hi' } })];
  }

  private interrupt(): object {
    if (this.dialect === 'codex') return { type: 'event_msg', payload: { type: 'turn_aborted', turn_id: this.turn } };
    return this.link({
      type: 'user',
      promptId: this.turn,
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    });
  }

  private node(record: object): void {
    this.write(this.link(record));
  }

  private item(payload: object): void {
    this.write({ type: 'response_item', payload });
  }

  /** Claude Code's records form a tree. */
  private link(record: object): object {
    const uuid = `${this.id}-${this.uuids++}`;
    const linked = { parentUuid: this.leaf, isSidechain: false, ...record, uuid };
    this.leaf = uuid;
    return linked;
  }

  private write(...records: object[]): void {
    appendFileSync(this.transcript, records.map(record => `${JSON.stringify(record)}\n`).join(''));
  }
}

function blockOf(printed: string): string | undefined {
  const envelope = JSON.parse(printed) as { hookSpecificOutput?: { additionalContext?: string } };
  return envelope.hookSpecificOutput?.additionalContext;
}

/** Sequences of the block's items; contents of the simulation hold no `seq="…"` of their own. */
export function sequencesOf(block: string): number[] {
  return [...block.matchAll(/\sseq="(\d+)"/g)].map(match => Number(match[1]));
}
