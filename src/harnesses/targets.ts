import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HookEvent } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const SCOPES = ['user', 'project'] as const;
export type Scope = (typeof SCOPES)[number];

/** An agent client that `preturn install` knows. */
export interface Target {
  readonly name: 'claude-code' | 'codex';
  /** For people. */
  readonly title: string;
  readonly events: readonly HookEvent[];
  /** The settings file that holds hooks; a project's lies below `cwd`. */
  file(scope: Scope, env: Env, cwd: string): string;
}

/**
 * Seconds; both clients count in seconds. Above the largest budget (10 s), so that the hook always ends itself, and the
 * same for everyone: Codex revokes its trust when a definition changes, be it only the limit.
 */
const TIMEOUT_S = 15;

const limited = (...events: string[]): HookEvent[] => events.map(event => ({ event, timeout: TIMEOUT_S }));

export const TARGETS: readonly Target[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    events: limited('UserPromptSubmit', 'Stop', 'SessionEnd'),
    file: (scope, env, cwd) =>
      scope === 'project'
        ? join(cwd, '.claude', 'settings.json')
        : join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json'),
  },
  {
    name: 'codex',
    title: 'Codex',
    events: limited('UserPromptSubmit', 'Stop'),
    file: (scope, env, cwd) =>
      scope === 'project'
        ? join(cwd, '.codex', 'hooks.json')
        : join(env.CODEX_HOME || join(env.HOME || homedir(), '.codex'), 'hooks.json'),
  },
];

export function targetNamed(name: string): Target | undefined {
  return TARGETS.find(target => target.name === name);
}
