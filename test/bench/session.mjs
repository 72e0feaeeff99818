import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the client itself writes beside our entry on a trivial turn, UTF-8 bytes (observed on Claude Code 2.1). */
const NOISE = { 'api-request-shape': 38_000, 'api-request-blob': 9_000, prompt_snapshot: 7_000 };

/** One Claude Code session, played: its directories, its configuration, its stdin and its transcript. */
export class Session {
  constructor(root, name, { url, token, agentId, handle }) {
    this.dir = join(root, name);
    this.id = randomUUID();
    this.transcript = join(this.dir, `${this.id}.jsonl`);
    this.leaf = null;
    this.prompt = undefined;
    const config = join(this.dir, 'config');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const source = { name: 'relay', url, agent: token === undefined ? handle : agentId };
    const entries = token === undefined ? [] : [{ origin: new URL(url).origin, agentId, handle, token }];
    const write = (file, value) => writeFileSync(join(config, file), JSON.stringify(value, null, 2), { mode: 0o600 });
    write('config.json', { version: 1, sources: [source] });
    write('credentials.json', { version: 1, entries });
    write('inbox.json', { url, token });
    // A long session: reading must not depend on what came before.
    writeFileSync(this.transcript, this.record({ type: 'system', content: 'x'.repeat(2_000_000) }));
    this.env = {
      PATH: process.env.PATH,
      HOME: this.dir,
      PRETURN_CONFIG_DIR: config,
      PRETURN_STATE_DIR: join(this.dir, 'state'),
      // The machine may be busy: a benchmark must time whole turns, not deadlines.
      PRETURN_BUDGET_MS: '10000',
      INBOX_CONFIG: join(config, 'inbox.json'),
      INBOX_STATE: join(this.dir, 'inbox-state.json'),
    };
  }

  /** Stdin of the next prompt: a fresh prompt id, so that no guard takes it for the last one. */
  nextPrompt() {
    this.prompt = randomUUID();
    return this.stdin('UserPromptSubmit', { prompt: 'Please go on with the task that we talked about.' });
  }

  stdin(event, extra = {}) {
    return JSON.stringify({
      session_id: this.id,
      transcript_path: this.transcript,
      cwd: this.dir,
      prompt_id: this.prompt,
      permission_mode: 'default',
      hook_event_name: event,
      ...extra,
    });
  }

  /** The client takes the hook's output, and the model answers. */
  answer(stdout) {
    const records = [this.record({ type: 'user', promptId: this.prompt, message: { role: 'user', content: 'go on' } })];
    if (stdout !== '') {
      const content = [JSON.parse(stdout).hookSpecificOutput.additionalContext];
      const attachment = { type: 'hook_additional_context', content, hookEvent: 'UserPromptSubmit' };
      records.push(this.record({ type: 'attachment', attachment }));
    }
    for (const [type, bytes] of Object.entries(NOISE))
      records.push(`${JSON.stringify({ type, x: 'x'.repeat(bytes) })}\n`);
    records.push(this.record({ type: 'assistant', message: { role: 'assistant', model: 'some-model', content: [] } }));
    appendFileSync(this.transcript, records.join(''));
  }

  /** Claude Code's records form a tree. */
  record(fields) {
    const uuid = randomUUID();
    const line = JSON.stringify({ parentUuid: this.leaf, isSidechain: false, ...fields, uuid });
    this.leaf = uuid;
    return `${line}\n`;
  }
}
