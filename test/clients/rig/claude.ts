import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeAnthropic } from './anthropic.ts';
import type { Program } from './install.ts';
import type { Line } from './process.ts';
import { cleanEnv, DEFAULT_EVENTS, hooksObject, makeHome, type Session, session, type TurnOptions } from './session.ts';

const STREAM = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

/**
 * A new home of Claude Code; every turn is one `claude -p` run.
 *
 * @param olderModel a model for all turns that gets hook text inside the user's message; else the client's default
 */
export async function openClaude(program: Program, olderModel?: string): Promise<Session> {
  const dir = await makeHome();
  const model = await fakeAnthropic();
  const config = join(dir, 'config');
  const plugins: string[] = [];
  const env = {
    ...cleanEnv(dir),
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'fake',
    CLAUDE_CODE_MAX_RETRIES: '0',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  };
  return session({
    client: 'claude',
    role: olderModel === undefined ? 'system' : 'user',
    dir,
    env,
    model,
    transcriptRoot: join(config, 'projects'),

    command(options) {
      const flags = [
        ...(typeof options.resume === 'string' ? ['--resume', options.resume] : options.resume ? ['--continue'] : []),
        ...(olderModel === undefined ? [] : ['--model', olderModel]),
        ...plugins.flatMap(folder => ['--plugin-dir', folder]),
        ...(options.args ?? []),
      ];
      return {
        command: program.command,
        // The prompt stands first: several flags take any number of values and would swallow it.
        args: [...program.args, '-p', ...(options.later ? STREAM : [options.prompt]), ...flags],
        ...(options.later ? { stdin: lines(options) } : {}),
      };
    },

    async register(entries, events = DEFAULT_EVENTS) {
      const settings = { hooks: hooksObject(entries, events) };
      await writeFile(join(config, 'settings.json'), JSON.stringify(settings, null, 2));
    },

    async addPlugin(folder) {
      plugins.push(folder);
    },
  });
}

/** The first prompt and the later ones as lines of the streaming input. */
function lines(options: TurnOptions): Line[] {
  const line = (text: string) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
  return [
    { text: line(options.prompt) },
    ...(options.later ?? []).map(({ prompt, when }) => ({ text: line(prompt), when })),
  ];
}
