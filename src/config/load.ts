import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { digest } from '../lib/digest.ts';
import { READ_LIMIT, readSmallFile } from '../lib/files.ts';
import type { Shape } from '../lib/shape.ts';
import { failures } from '../messages.ts';
import type { Inbox } from '../sources/index.ts';
import { CONFIG_FILE, CREDENTIALS_FILE, configDir, PROJECT_FILE } from './paths.ts';
import {
  ACK_MODES,
  type AckMode,
  type Config,
  ConfigShape,
  type Credentials,
  CredentialsShape,
  LIMITS,
  type ProjectConfig,
  ProjectShape,
  type SourceConfig,
} from './schema.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Reads config.json; a missing file is an empty configuration. @throws PreturnError `config_invalid` */
export function readConfig(env: Env): Config {
  const path = join(configDir(env), CONFIG_FILE);
  const value = readJson(path);
  return validated(ConfigShape, path, value === undefined ? {} : value);
}

/**
 * Reads credentials.json of a configuration directory; empty when there is none. Errors never quote a value.
 * @throws PreturnError `credentials_unsafe` when others can read the file, `config_invalid`
 */
export function readCredentials(dir: string): Credentials {
  const path = join(dir, CREDENTIALS_FILE);
  const value = readJson(path);
  if (value === undefined) return { version: 1, entries: [] };
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw failures.credentialsUnsafe(path, mode.toString(8).padStart(4, '0'));
  }
  return validated(CredentialsShape, path, value);
}

/** The nearest `.preturn.json` at or above a directory; an invalid one switches the project off, because it can only tighten. */
export function readProject(cwd: string | undefined): ProjectConfig {
  if (cwd === undefined || !isAbsolute(cwd)) return {};
  for (let dir = cwd; ; dir = dirname(dir)) {
    const path = join(dir, PROJECT_FILE);
    try {
      const value = readJson(path, READ_LIMIT.project);
      if (value !== undefined) return validated(ProjectShape, path, value);
    } catch {
      return { off: true };
    }
    if (dirname(dir) === dir) return {};
  }
}

/** What one run goes by: environment over user configuration over defaults, tightened by the project. */
export interface Settings {
  readonly off: boolean;
  /** ms from process start. */
  readonly budgetMs: number;
  readonly maxTokens: number;
  readonly maxBytes: number;
  readonly limit: number;
  readonly ack: AckMode;
  readonly packageDir: string | undefined;
}

export function resolveSettings(config: Config, project: ProjectConfig, env: Env): Settings {
  const number = (key: 'budgetMs' | 'maxTokens' | 'maxBytes', variable?: string) => {
    const { min, max } = LIMITS[key];
    const given = variable === undefined ? Number.NaN : Number(env[variable] || Number.NaN);
    const chosen = Number.isInteger(given) && given >= min && given <= max ? given : config[key];
    return Math.min(chosen, project[key] ?? chosen);
  };
  const mode = ACK_MODES.find(name => name === env.PRETURN_ACK);
  return {
    off: config.paused || project.off === true,
    budgetMs: number('budgetMs', 'PRETURN_BUDGET_MS'),
    maxTokens: number('maxTokens', 'PRETURN_MAX_TOKENS'),
    maxBytes: number('maxBytes'),
    limit: config.limit,
    ack: mode ?? config.ack,
    packageDir: config.packageDir,
  };
}

export interface InboxOptions {
  readonly cwd: string | undefined;
  /** Codex hooks run in a daemon with the first terminal's environment: there a binding beats the environment. */
  readonly bindingFirst: boolean;
}

/**
 * The inboxes of this run. An environment URL stands for itself and takes the environment's token; an environment token
 * is never used with a URL from the configuration. A project's list of sources calls the environment's `env`.
 *
 * @throws PreturnError `config_invalid`, `unauthenticated`, `credentials_unsafe`
 */
export function resolveInboxes(config: Config, project: ProjectConfig, env: Env, options: InboxOptions): Inbox[] {
  const credentials = readCredentials(configDir(env));
  const bound = (source: string) => bindingFor(config, source, options.cwd);
  const allows = (source: string) => project.sources === undefined || project.sources.includes(source);
  const url = env.PRETURN_URL;
  if (url && !(options.bindingFirst && config.sources.some(source => bound(source.name) !== undefined))) {
    if (!allows('env')) return [];
    const agent = env.PRETURN_AGENT || undefined;
    const caFile = env.PRETURN_CA_FILE || undefined;
    return [toInbox({ name: 'env', kind: 'hyphae', url, agent, caFile }, envToken(env), credentials)];
  }
  return config.sources
    .filter(source => allows(source.name))
    .map(source => toInbox({ ...source, agent: bound(source.name) ?? source.agent }, undefined, credentials));
}

/** The identity that a project directory, or the nearest directory above it, is bound to. */
function bindingFor(config: Config, source: string, cwd: string | undefined): string | undefined {
  if (cwd === undefined) return undefined;
  const under = (dir: string) => cwd === dir || cwd.startsWith(dir.endsWith(sep) ? dir : dir + sep);
  return config.bindings
    .map(binding => ({ ...binding, dir: resolve(binding.dir) }))
    .filter(binding => binding.source === source && under(binding.dir))
    .sort((a, b) => b.dir.length - a.dir.length)[0]?.agent;
}

/** The environment's token, also from the file that it names. @throws PreturnError `config_invalid` */
export function envToken(env: Env): string | undefined {
  if (env.PRETURN_TOKEN) return env.PRETURN_TOKEN;
  if (!env.PRETURN_TOKEN_FILE) return undefined;
  try {
    return readSmallFile(env.PRETURN_TOKEN_FILE, READ_LIMIT.own).toString('utf8').trim() || undefined;
  } catch (error) {
    throw failures.configInvalid(env.PRETURN_TOKEN_FILE, (error as Error).message);
  }
}

type Wanted = Omit<SourceConfig, 'agent' | 'caFile'> & { agent?: string | undefined; caFile?: string | undefined };

function toInbox(wanted: Wanted, token: string | undefined, credentials: Credentials): Inbox {
  const { name, kind, url, agent, caFile } = wanted;
  const origin = originOf(url);
  const base = { name, kind, url, origin, caFile };
  if (origin.startsWith('file:')) {
    if (agent === undefined) throw failures.noAgent(url);
    return { ...base, identity: agent, handle: agent, token: undefined };
  }
  if (token !== undefined) {
    const known = credentials.entries.find(entry => entry.origin === origin && entry.token === token);
    return { ...base, identity: known?.agentId ?? fingerprint(token), handle: known?.handle ?? '', token };
  }
  const entries = credentials.entries.filter(
    entry => entry.origin === origin && (agent === undefined || entry.agentId === agent || entry.handle === agent),
  );
  if (entries.length > 1) throw failures.severalIdentities(origin);
  const entry = entries[0];
  if (!entry) throw failures.noCredential(origin);
  return { ...base, identity: entry.agentId, handle: entry.handle, token: entry.token };
}

/** `scheme://host:port` of a relay, or `file:` and the absolute path. @throws PreturnError `config_invalid` */
export function originOf(url: string): string {
  if (url.startsWith('file:')) {
    const path = url.replace(/^file:(\/\/(?=\/))?/, '');
    if (!isAbsolute(path)) throw failures.badUrl(url, 'the path is not absolute');
    try {
      return `file:${realpathSync(path)}`;
    } catch {
      return `file:${resolve(path)}`;
    }
  }
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw failures.badUrl(url, 'it is no URL');
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw failures.badUrl(url, 'its scheme is unknown');
  if (parsed.username || parsed.password) throw failures.badUrl(parsed.origin, 'it holds a password');
  return parsed.origin;
}

/**
 * Identity of a token whose agent is not known: another token is another journal, which costs repeats only.
 * 106 bits of a 256-bit secret tell nobody the rest, and the file is the user's alone.
 */
function fingerprint(token: string): string {
  return `token-${digest(token)}`;
}

/** The parsed file, undefined when it is missing. @throws PreturnError `config_invalid` */
function readJson(path: string, limit: number = READ_LIMIT.own): unknown {
  let bytes: string;
  try {
    bytes = readSmallFile(path, limit).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failures.configInvalid(path, (error as Error).message);
  }
  try {
    return JSON.parse(bytes.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's own message quotes the file, which may hold a token.
    throw failures.configInvalid(path, 'it is not JSON');
  }
}

function validated<T>(shape: Shape<T>, path: string, value: unknown): T {
  try {
    return shape(value, '');
  } catch (error) {
    throw failures.configInvalid(path, (error as Error).message);
  }
}
