import { editConfig, readDraft } from '../config/edit.ts';
import { readConfig, readCredentials, readProject, resolveSettings } from '../config/load.ts';
import { ACK_MODES, type Config, LIMITS } from '../config/schema.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import type { Context, Result } from './shared/context.ts';
import { integer } from './shared/options.ts';
import { table } from './shared/table.ts';

const VARIABLES: Readonly<Record<string, string>> = {
  budgetMs: 'PRETURN_BUDGET_MS',
  maxTokens: 'PRETURN_MAX_TOKENS',
  ack: 'PRETURN_ACK',
};
const KEYS = ['budgetMs', 'maxTokens', 'maxBytes', 'limit', 'ack', 'paused', 'packageDir'] as const;
type Key = (typeof KEYS)[number];

/** `preturn config`: what holds here, and where each value comes from. */
export async function show(context: Context): Promise<Result> {
  const values = effective(context);
  const { sources, bindings } = readConfig(context.env);
  const known = readCredentials(context.configDir).entries;
  const url = context.env.PRETURN_URL;
  const lines = KEYS.map(key => [key, String(values[key].value ?? ''), values[key].from]);
  const inboxes = sources.map((source, at) => {
    const entries = known.filter(entry => source.url.startsWith(entry.origin));
    const own = entries.find(entry => entry.agentId === source.agent || entry.handle === source.agent);
    return { index: at + 1, ...source, handle: own?.handle ?? null, token: entries.length > 0 ? 'stored' : 'none' };
  });
  return {
    data: {
      values,
      sources: inboxes,
      bindings,
      directories: directories(context),
      ...(url ? { PRETURN_URL: url } : {}),
    },
    text: [
      table(['KEY', 'VALUE', 'FROM'], lines, context.width),
      '',
      ...(url ? [says.envBeatsSources(url)] : []),
      ...inboxes.map(one => says.sourceLine(one.index, one.name, one.url, one.handle ?? one.agent, one.token)),
      ...(inboxes.length === 0 && !url ? [says.noSources()] : []),
      says.directories(directories(context)),
    ].join('\n'),
  };
}

/** `preturn config get <key>` */
export async function get(context: Context): Promise<Result> {
  const key = keyOf(context.args[0]!);
  const { value, from } = effective(context)[key];
  return { text: String(value ?? ''), data: { key, value: value ?? null, from } };
}

/** `preturn config set <key> <value>` */
export async function set(context: Context): Promise<Result> {
  const key = keyOf(context.args[0]!);
  const value = parseValue(key, context.args[1]!);
  await editConfig(context.configDir, draft => {
    Object.assign(draft, { [key]: value });
  });
  const now = effective(context)[key];
  return { text: says.configSet(key, String(value), now), data: { key, value, effective: now } };
}

/** `preturn config unset <key>` */
export async function unset(context: Context): Promise<Result> {
  const key = keyOf(context.args[0]!);
  await editConfig(context.configDir, draft => {
    draft[key] = undefined;
  });
  const now = effective(context)[key];
  return { text: says.configUnset(key, String(now.value ?? '')), data: { key, effective: now } };
}

/** `preturn pause` */
export const pause = (context: Context) => setPaused(context, true);
/** `preturn resume` */
export const resume = (context: Context) => setPaused(context, false);

async function setPaused(context: Context, paused: boolean): Promise<Result> {
  await editConfig(context.configDir, draft => {
    draft.paused = paused ? true : undefined;
  });
  return { text: paused ? says.paused() : says.resumed(), data: { paused } };
}

interface Value {
  readonly value: string | number | boolean | undefined;
  readonly from: string;
}

function effective(context: Context): Record<Key, Value> {
  const { env, cwd } = context;
  const config = readConfig(env);
  const draft = readDraft(context.configDir);
  const project = readProject(cwd);
  const settings = { ...resolveSettings(config, project, env), paused: config.paused };
  const plain = resolveSettings(config, {}, {});
  const withEnv = resolveSettings(config, {}, env);
  const origin = (key: Key): string => {
    if (key === 'paused' || key === 'packageDir') return draft[key] === undefined ? 'default' : 'config.json';
    if (settings[key] !== withEnv[key]) return '.preturn.json';
    if (withEnv[key] !== plain[key] || isEnvSame(key, env, settings[key])) return VARIABLES[key]!;
    return draft[key] === undefined ? 'default' : 'config.json';
  };
  return Object.fromEntries(KEYS.map(key => [key, { value: settings[key], from: origin(key) }])) as Record<Key, Value>;
}

/** The environment may set what the file says too; it is still the environment that decides. */
function isEnvSame(key: Key, env: Context['env'], value: unknown): boolean {
  const variable = VARIABLES[key];
  return variable !== undefined && env[variable] === String(value);
}

function keyOf(name: string): Key {
  const key = KEYS.find(one => one === name);
  if (!key) throw cliFailures.unknownKey(name, KEYS);
  return key;
}

function parseValue(key: Key, value: string): Config[Key] {
  if (key === 'packageDir') return value;
  if (key === 'paused') {
    if (value !== 'true' && value !== 'false') throw cliFailures.notOneOf(key, value, ['true', 'false']);
    return value === 'true';
  }
  if (key === 'ack') {
    const mode = ACK_MODES.find(one => one === value);
    if (!mode) throw cliFailures.notOneOf(key, value, ACK_MODES);
    return mode;
  }
  return integer(key, value, LIMITS[key].min, LIMITS[key].max);
}

function directories({ configDir, stateDir, dataDir }: Context) {
  return { config: configDir, state: stateDir, data: dataDir };
}
