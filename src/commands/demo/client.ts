import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../lib/package.ts';

/** Plays Claude Code: it runs the real hook as a child process and writes the transcript that the client would. */
export class DemoClient {
  private readonly session = randomUUID();
  private readonly transcript: string;
  private readonly home: string;
  private readonly env: Readonly<Record<string, string>>;
  private prompt = '';
  private leaf: string | null = null;

  constructor(home: string, env: Readonly<Record<string, string>>) {
    this.home = home;
    this.env = env;
    mkdirSync(join(home, 'projects'), { recursive: true });
    this.transcript = join(home, 'projects', `${this.session}.jsonl`);
  }

  /** The user sends a prompt: what the hook injected, or null. */
  async submit(): Promise<string | null> {
    this.prompt = randomUUID();
    const stdout = await this.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Go on with the task.' });
    if (stdout === '') return null;
    const envelope = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } };
    return envelope.hookSpecificOutput?.additionalContext ?? null;
  }

  /** The block goes into the model's context, the model answers, the turn ends. */
  async answer(block: string | null): Promise<void> {
    this.record({ type: 'user', promptId: this.prompt, message: { role: 'user', content: 'Go on with the task.' } });
    if (block !== null) {
      const attachment = { type: 'hook_additional_context', content: [block], hookEvent: 'UserPromptSubmit' };
      this.record({ type: 'attachment', attachment });
    }
    await this.end();
  }

  /** The client gives up on the hook and throws its output away; the turn runs without it. */
  async discard(): Promise<void> {
    this.record({ type: 'user', promptId: this.prompt, message: { role: 'user', content: 'Go on with the task.' } });
    const attachment = { type: 'hook_cancelled', hookEvent: 'UserPromptSubmit', timedOut: true, timeoutMs: 15_000 };
    this.record({ type: 'attachment', attachment });
    await this.end();
  }

  private async end(): Promise<void> {
    this.record({ type: 'assistant', message: { role: 'assistant', model: 'a-model', content: [] } });
    await this.hook({ hook_event_name: 'Stop', stop_hook_active: false });
  }

  /** Records form a tree: each names its parent. */
  private record(fields: object): void {
    const uuid = randomUUID();
    const line = JSON.stringify({ parentUuid: this.leaf, isSidechain: false, ...fields, uuid });
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
    const child = spawn(process.execPath, [join(packageDir(), 'hooks', 'pre-turn.cjs')], { env: this.env });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(stdin));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve(stdout));
    });
  }
}
