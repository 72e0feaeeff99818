import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../lib/package.ts';

/** The client's limit for a hook, ms: what its record says when it gives up. */
const HOOK_LIMIT_MS = 15_000;
const PROMPT = 'Go on with the task.';

/**
 * Plays Claude Code: it runs the real hook as a child process and writes the transcript that the client would. Stdin and
 * records have the fields recorded from 2.1.332, as far as they concern a turn.
 */
export class DemoClient {
  private readonly session = randomUUID();
  private readonly hookFile = join(packageDir(), 'hooks', 'pre-turn.cjs');
  private readonly transcript: string;
  private readonly home: string;
  private readonly env: Readonly<Record<string, string>>;
  private prompt = '';
  /** Records form a tree: each names its parent. */
  private leaf: string | null = null;

  constructor(home: string, env: Readonly<Record<string, string>>) {
    this.home = home;
    this.env = env;
    mkdirSync(join(home, 'projects'), { recursive: true });
    this.transcript = join(home, 'projects', `${this.session}.jsonl`);
  }

  /** The user sends a prompt. @returns the text that the hook injects, or null */
  async submit(): Promise<string | null> {
    this.prompt = randomUUID();
    const stdout = await this.hook({ hook_event_name: 'UserPromptSubmit', prompt: PROMPT });
    if (stdout === '') return null;
    const envelope = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } };
    return envelope.hookSpecificOutput?.additionalContext ?? null;
  }

  /** The block goes into the model's context, the model answers, the turn ends. */
  async answer(block: string | null): Promise<void> {
    this.asked();
    if (block !== null) this.attached({ type: 'hook_additional_context', content: [block] });
    await this.ended();
  }

  /** The client gives up on the hook and throws its output away; the turn runs without it. */
  async discard(): Promise<void> {
    this.asked();
    const limit = { durationMs: HOOK_LIMIT_MS, timedOut: true, timeoutMs: HOOK_LIMIT_MS };
    this.attached({ type: 'hook_cancelled', command: this.hookFile, ...limit });
    await this.ended();
  }

  private asked(): void {
    const message = { role: 'user', content: PROMPT };
    this.record({ promptId: this.prompt, type: 'user', message, permissionMode: 'default' });
  }

  private attached({ type, ...more }: { type: string; [field: string]: unknown }): void {
    const event = 'UserPromptSubmit';
    const attachment = { type, ...more, hookName: event, toolUseID: `hook-${randomUUID()}`, hookEvent: event };
    this.record({ attachment, type: 'attachment' });
  }

  private async ended(): Promise<void> {
    const content = [{ type: 'text', text: 'Done.' }];
    const message = { type: 'message', role: 'assistant', model: 'a-model', content, stop_reason: 'end_turn' };
    this.record({ message, requestId: randomUUID(), type: 'assistant' });
    const rest = { background_tasks: [], session_crons: [] };
    await this.hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.', ...rest });
  }

  private record(fields: object): void {
    const uuid = randomUUID();
    const line = JSON.stringify({
      parentUuid: this.leaf,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: new Date().toISOString(),
      cwd: this.home,
      sessionId: this.session,
    });
    this.leaf = uuid;
    appendFileSync(this.transcript, `${line}\n`);
  }

  private hook(fields: object): Promise<string> {
    const stdin = {
      session_id: this.session,
      transcript_path: this.transcript,
      cwd: this.home,
      prompt_id: this.prompt,
      permission_mode: 'default',
      ...fields,
    };
    const child = spawn(process.execPath, [this.hookFile], { env: this.env, cwd: this.home });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text;
    });
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(stdin));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve(stdout));
    });
  }
}
