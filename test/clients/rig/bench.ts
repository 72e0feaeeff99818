import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Open } from './clients.ts';
import { REPOSITORY } from './install.ts';
import { openPost, type Post } from './post.ts';
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts';
import type { HookEntry, Session, TurnOptions, TurnResult } from './session.ts';

/** The command a user registers when the launcher is not installed. */
export const HOOK = `'${process.execPath}' '${join(REPOSITORY, 'hooks', 'pre-turn.cjs')}'`;

/** A client with the real hook in front of a real relay, and everything that they leave behind. */
export interface Bench {
  readonly session: Session;
  readonly post: Post;
  /** One turn with bob's identity in the environment, over what `options.env` adds. */
  turn(options: TurnOptions): Promise<TurnResult>;
  /** Registers the hook under a recorder, in place of what was registered before. */
  register(options?: RecorderOptions & Omit<HookEntry, 'command'> & { events?: readonly string[] }): Promise<Recorder>;
  /** Another recorder around the hook, not registered yet. */
  record(options?: RecorderOptions): Promise<Recorder>;
  close(): Promise<void>;
}

export async function openBench(openClient: Open, relayUrl?: string): Promise<Bench> {
  const session = await openClient();
  const post = await openPost();
  const state = join(session.dir, 'state');
  const env = {
    PRETURN_URL: relayUrl ?? post.url,
    PRETURN_TOKEN: post.token,
    PRETURN_CONFIG_DIR: join(state, 'config'),
    PRETURN_STATE_DIR: join(state, 'state'),
  };
  let recorders = 0;
  const record = async (options: RecorderOptions = {}) => {
    recorders += 1;
    const folder = join(session.dir, `recorder-${recorders}`);
    await mkdir(folder);
    return recorder(folder, HOOK, options);
  };
  return {
    session,
    post,
    record,
    turn: options => session.turn({ ...options, env: { ...env, ...options.env } }),
    async register({ lingerS, padding, events, ...entry } = {}) {
      const made = await record({ ...(lingerS && { lingerS }), ...(padding && { padding }) });
      await session.register([{ ...entry, command: made.command }], events);
      return made;
    },
    async close() {
      await session.close();
      await post.close();
    },
  };
}

/** What a published plugin holds, copied to `target`: a checkout also has node_modules, which a client would copy. */
export async function stagePlugin(target: string): Promise<string> {
  const shipped = ['.claude-plugin', '.codex-plugin', '.mcp.json', 'hooks', 'templates', 'package.json', 'README.md'];
  for (const name of shipped.filter(entry => existsSync(join(REPOSITORY, entry)))) {
    await cp(join(REPOSITORY, name), join(target, name), { recursive: true });
  }
  return target;
}
