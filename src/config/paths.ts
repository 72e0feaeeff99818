import { homedir } from 'node:os';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** XDG base directory rules: an unset, empty or relative value falls back to the default below the home. */
function base(env: Env, own: string, xdg: string, fallback: string): string {
  const direct = env[own];
  if (direct) return direct;
  const root = env[xdg];
  return join(root?.startsWith('/') ? root : join(env.HOME || homedir(), fallback), 'preturn');
}

/** Holds config.json, credentials.json, trust.yaml. */
export function configDir(env: Env): string {
  return base(env, 'PRETURN_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config');
}

/** Holds journals, locks, guards, the log: losing it costs repeats, never mail. */
export function stateDir(env: Env): string {
  return base(env, 'PRETURN_STATE_DIR', 'XDG_STATE_HOME', '.local/state');
}

/** Holds the launcher and the local relay's database. */
export function dataDir(env: Env): string {
  return base(env, 'PRETURN_DATA_DIR', 'XDG_DATA_HOME', '.local/share');
}

export const CONFIG_FILE = 'config.json';
export const CREDENTIALS_FILE = 'credentials.json';
export const PROJECT_FILE = '.preturn.json';
