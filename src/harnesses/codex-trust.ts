import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { codexToml, type Registration, readToml } from './registration.ts';

/**
 * Codex skips hooks that its user has not trusted, silently in `codex exec`. Its record is
 * `[hooks.state."<file>:<event>:<group>:<index>"] trusted_hash = "sha256:…"` in config.toml.
 */
export type CodexTrust = 'trusted' | 'changed' | 'untrusted' | 'disabled';

/** The state of each of our entries in a hooks.json, `UserPromptSubmit` and the rest alike. */
export function codexTrust(
  registration: Registration,
  env: Readonly<Record<string, string | undefined>>,
): { readonly event: string; readonly trust: CodexTrust }[] {
  const hooks = readToml(codexToml(env)).hooks as { state?: Record<string, unknown> } | undefined;
  const states = hooks?.state ?? {};
  if (registration.kind === 'plugin') return pluginTrust(states);
  return registration.entries.map(entry => {
    const snake = snakeCase(entry.event);
    const found = [registration.file, real(registration.file)]
      .map(file => states[`${file}:${snake}:${entry.group}:${entry.index}`])
      .find(state => state !== undefined) as { trusted_hash?: unknown; enabled?: unknown } | undefined;
    return { event: entry.event, trust: judge(found, hookHash(snake, entry.command, entry.timeout)) };
  });
}

/** A plugin's hash covers its whole directory, so only a missing or switched-off record is told apart here. */
function pluginTrust(states: Readonly<Record<string, unknown>>): { event: string; trust: CodexTrust }[] {
  return ['UserPromptSubmit', 'Stop'].map(event => {
    const key = Object.keys(states).find(name => name.startsWith('preturn@') && name.includes(`:${snakeCase(event)}:`));
    const state = key === undefined ? undefined : (states[key] as { trusted_hash?: string; enabled?: unknown });
    return { event, trust: judge(state, state?.trusted_hash ?? '') };
  });
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

function judge(state: { trusted_hash?: unknown; enabled?: unknown } | undefined, hash: string): CodexTrust {
  if (state?.enabled === false) return 'disabled';
  if (typeof state?.trusted_hash !== 'string') return 'untrusted';
  return state.trusted_hash === hash ? 'trusted' : 'changed';
}

/** Codex's own default limit, seconds. */
const DEFAULT_TIMEOUT_S = 600;

/**
 * Codex's hash of a plain command hook, found by comparison with its `hooks/list` (0.171): SHA-256 of the definition as
 * JSON with sorted keys. A definition with further keys hashes to something else and reads as `changed`.
 */
export function hookHash(event: string, command: string, timeout: number | undefined): string {
  const hook = { async: false, command, timeout: timeout ?? DEFAULT_TIMEOUT_S, type: 'command' };
  return `sha256:${createHash('sha256')
    .update(JSON.stringify({ event_name: event, hooks: [hook] }))
    .digest('hex')}`;
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
