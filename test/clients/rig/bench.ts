import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliRun, cli } from '../../helpers/cli.ts';
import type { Open } from './clients.ts';
import { REPOSITORY } from './install.ts';
import { openPost, type Post } from './post.ts';
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts';
import type { HookEntry, Session, TurnOptions, TurnResult } from './session.ts';

/** The command a user registers when the launcher is not installed. */
export const HOOK = `'${process.execPath}' '${join(REPOSITORY, 'hooks', 'pre-turn.cjs')}'`;

/** Budget of a hook run, ms: the longest there is, so that a busy machine fails no scenario that is not about it. */
const PATIENT_MS = '10000';

/** A client with the real hook in front of a real relay, and everything that they leave behind. */
export interface Bench {
  readonly session: Session;
  readonly post: Post;
  /** One turn with the hook's environment, over what `options.env` adds. */
  turn(options: TurnOptions): Promise<TurnResult>;
  /** The `preturn` command in the same environment. */
  preturn(...args: string[]): Promise<CliRun>;
  /** Registers the hook under a recorder, in place of what was registered before. */
  register(options?: RecorderOptions & Omit<HookEntry, 'command'> & { events?: readonly string[] }): Promise<Recorder>;
  /** Another recorder around the hook, not registered yet. */
  record(options?: RecorderOptions): Promise<Recorder>;
  close(): Promise<void>;
}

/**
 * @param over environment of the hook, over that of bob on the bench's own relay: another relay, a shared state
 */
export async function openBench(openClient: Open, over: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const session = await openClient();
  const post = await openPost();
  const own = over.PRETURN_URL === undefined ? { PRETURN_URL: post.url, PRETURN_TOKEN: post.token } : {};
  const env = {
    ...own,
    PRETURN_CONFIG_DIR: join(session.dir, 'preturn', 'config'),
    PRETURN_STATE_DIR: join(session.dir, 'preturn', 'state'),
    PRETURN_DATA_DIR: join(session.dir, 'preturn', 'data'),
    PRETURN_BUDGET_MS: PATIENT_MS,
    ...over,
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
    preturn: (...args) => cli(args, { env: { ...session.env, ...env }, cwd: session.project }),
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

/** A plugin folder to add to a client, and the runs of its hook. */
export interface StagedPlugin {
  readonly folder: string;
  /** How often the plugin's own hook has run. */
  runs(): Promise<number>;
}

/**
 * What a published plugin holds, copied below `dir`: a checkout also has node_modules, which a client would copy. One
 * line is added to the hook that notes each run, whatever folder a client runs it from.
 */
export async function stagePlugin(dir: string): Promise<StagedPlugin> {
  const folder = join(dir, 'plugin');
  const log = join(dir, 'plugin-runs');
  const shipped = ['.claude-plugin', '.codex-plugin', '.mcp.json', 'hooks', 'templates', 'package.json', 'README.md'];
  await mkdir(folder);
  for (const name of shipped.filter(entry => existsSync(join(REPOSITORY, entry)))) {
    await cp(join(REPOSITORY, name), join(folder, name), { recursive: true });
  }
  const hook = join(folder, 'hooks', 'pre-turn.cjs');
  const [first, ...rest] = (await readFile(hook, 'utf8')).split('\n');
  const note = `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'run\\n');`;
  await writeFile(hook, [first, note, ...rest].join('\n'));
  return {
    folder,
    runs: async () => (existsSync(log) ? (await readFile(log, 'utf8')).split('\n').length - 1 : 0),
  };
}
