import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Program } from './install.ts';
import { fakeOpenai } from './openai.ts';
import { cleanEnv, DEFAULT_EVENTS, hooksObject, makeHome, type Session, session } from './session.ts';

const run = promisify(execFile);

/** A new home of Codex; every turn is one `codex exec` run, which trusts all hooks unless a turn says otherwise. */
export async function openCodex(program: Program): Promise<Session> {
  const dir = await makeHome();
  const model = await fakeOpenai();
  const config = join(dir, 'config');
  const env = { ...cleanEnv(dir), CODEX_HOME: config, FAKE_KEY: 'fake' };
  await writeFile(join(config, 'config.toml'), configuration(model.url, join(dir, 'project')));
  return session({
    client: 'codex',
    role: 'developer',
    dir,
    env,
    model,
    transcriptRoot: join(config, 'sessions'),

    command(options) {
      if (options.later) throw new Error('`codex exec` takes no prompts while a turn runs.');
      return {
        command: program.command,
        args: [
          ...program.args,
          'exec',
          ...(options.trustedOnly ? [] : ['--dangerously-bypass-hook-trust']),
          '--skip-git-repo-check',
          ...(options.args ?? []),
          ...(options.resume ? ['resume', typeof options.resume === 'string' ? options.resume : '--last'] : []),
          options.prompt,
        ],
      };
    },

    async register(entries, events = DEFAULT_EVENTS) {
      await writeFile(join(config, 'hooks.json'), JSON.stringify({ hooks: hooksObject(entries, events) }, null, 2));
    },

    /** The folder must hold a marketplace file naming exactly one plugin, as the repository root does. */
    async addPlugin(folder) {
      const file = await readFile(join(folder, '.claude-plugin', 'marketplace.json'), 'utf8');
      const market = JSON.parse(file) as { name: string; plugins: { name: string }[] };
      const cli = (...args: string[]) => run(program.command, [...program.args, 'plugin', ...args], { env, cwd: dir });
      await cli('marketplace', 'add', folder);
      await cli('add', `${market.plugins[0]?.name}@${market.name}`);
    },
  });
}

function configuration(url: string, project: string): string {
  return `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[otel]
exporter = "none"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
}
