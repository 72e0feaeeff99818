import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeModel, ModelRequest, Step } from './model.ts';
import { type Exit, type Line, launch } from './process.ts';

/** One registered hook command. */
export interface HookEntry {
  readonly command: string;
  /** The client's own limit, in seconds. */
  readonly timeoutS?: number;
  /** Codex's own cap on the injected text, in its tokens of 4 bytes; other clients ignore it. */
  readonly codexLimit?: number;
}

export interface TurnOptions {
  readonly prompt: string;
  /** Continue the newest session of this home, or the one with this id, instead of starting one. */
  readonly resume?: boolean | string;
  /** What the fake model answers in this turn; `FAKE-OK` after that. */
  readonly replies?: readonly Step[];
  /** Added to the client's clean environment, and so to the hook's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Prompts sent while the turn runs, each when its `when` has resolved (Claude Code only). */
  readonly later?: readonly { readonly prompt: string; readonly when: Promise<unknown> }[];
  readonly signal?: { readonly name: NodeJS.Signals; readonly when: Promise<unknown> };
  /** Codex: run only the hooks that its user has trusted; other turns trust all. */
  readonly trustedOnly?: boolean;
  /** Further arguments of the client. */
  readonly args?: readonly string[];
  /** Hard limit in ms (default 60,000). */
  readonly limitMs?: number;
}

/** How one turn ended, and the model requests it made. */
export interface TurnResult extends Exit {
  readonly requests: readonly ModelRequest[];
}

/** One throw-away home of a client, with its fake model: sessions in it can be resumed, and nothing leaves it. */
export interface Session {
  readonly client: 'claude' | 'codex';
  /** Folder of everything: home, configuration, project, temporary files. */
  readonly dir: string;
  readonly project: string;
  /** The client's whole environment, before what a turn adds: it names its configuration and its model. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: FakeModel;
  /** Role under which the model gets hook text. */
  readonly role: string;
  /** Registers these commands in the user's settings for each event (default UserPromptSubmit and Stop). */
  register(entries: readonly HookEntry[], events?: readonly string[]): Promise<void>;
  /** Registers the plugin in this folder, beside what is registered in the settings. */
  addPlugin(folder: string): Promise<void>;
  turn(options: TurnOptions): Promise<TurnResult>;
  /** Resolves when a transcript holds `text`: the client writes them behind its requests. */
  written(text: string): Promise<void>;
  /** Parsed records of every transcript file of this home, by path. */
  transcripts(): Promise<ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>>;
  close(): Promise<void>;
}

/** What differs between the clients. */
export interface Kind {
  readonly client: Session['client'];
  readonly role: string;
  readonly model: FakeModel;
  readonly dir: string;
  readonly env: Session['env'];
  /** Program and arguments for one turn. */
  command(options: TurnOptions): {
    readonly command: string;
    readonly args: readonly string[];
    readonly stdin?: readonly Line[];
  };
  register: Session['register'];
  addPlugin: Session['addPlugin'];
  /** Folder below which the client keeps its transcripts. */
  readonly transcriptRoot: string;
}

/** Makes the folders of a new home. The name says nothing of ours: it ends up in the recorded requests. */
export async function makeHome(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'client-'));
  for (const name of ['home', 'config', 'project', 'tmp']) await mkdir(join(dir, name));
  return dir;
}

/** The environment that every client gets: enough to find node, and nothing of the developer's. */
export function cleanEnv(dir: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: join(dir, 'home'), TMPDIR: join(dir, 'tmp') };
}

export function session(kind: Kind): Session {
  const project = join(kind.dir, 'project');
  return {
    client: kind.client,
    dir: kind.dir,
    project,
    env: kind.env,
    model: kind.model,
    role: kind.role,
    register: kind.register,
    addPlugin: kind.addPlugin,

    async turn(options) {
      const before = kind.model.requests.length;
      kind.model.script(options.replies ?? []);
      const start = kind.command(options);
      const exit = await launch({
        ...start,
        env: { ...kind.env, ...options.env },
        cwd: project,
        limitMs: options.limitMs ?? 60_000,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      kind.model.check();
      return { ...exit, requests: kind.model.requests.slice(before) };
    },

    async written(text) {
      const holds = () => jsonlFiles(kind.transcriptRoot).some(path => readFileSync(path, 'utf8').includes(text));
      while (!holds()) await sleep(20);
    },

    async transcripts() {
      const found = new Map<string, Record<string, unknown>[]>();
      for (const path of jsonlFiles(kind.transcriptRoot)) {
        const lines = (await readFile(path, 'utf8')).split('\n').filter(line => line !== '');
        found.set(
          path,
          lines.map(line => JSON.parse(line) as Record<string, unknown>),
        );
      }
      return found;
    },

    async close() {
      await kind.model.close();
      // A client's helper may still be writing its cache.
      await rm(kind.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function jsonlFiles(root: string): string[] {
  const names = (() => {
    try {
      return readdirSync(root, { recursive: true, encoding: 'utf8' });
    } catch {
      return [];
    }
  })();
  return names.filter(name => name.endsWith('.jsonl')).map(name => join(root, name));
}

/** The `hooks` object that both clients read, for these commands on these events. */
export function hooksObject(entries: readonly HookEntry[], events: readonly string[]): Record<string, unknown> {
  const hooks = entries.map(({ command, timeoutS, codexLimit }) => ({
    type: 'command',
    command,
    ...(timeoutS === undefined ? {} : { timeout: timeoutS }),
    ...(codexLimit === undefined ? {} : { additionalContextLimit: codexLimit }),
  }));
  return Object.fromEntries(events.map(event => [event, [{ hooks }]]));
}

export const DEFAULT_EVENTS = ['UserPromptSubmit', 'Stop'] as const;
