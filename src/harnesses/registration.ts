import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Node, parse, parseTree } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { property } from './jsonc.ts';
import { isOwnCommand, ownEntries } from './settings.ts';
import type { Target } from './targets.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One place where a client finds our hook. */
export interface Registration {
  readonly kind: 'user' | 'project' | 'local' | 'plugin' | 'toml';
  readonly file: string;
  /** Number of our entries by event; a plugin counts once for each of its events. */
  readonly events: Readonly<Record<string, number>>;
  /** Trust keys of our entries (Codex): `<file>:<event>:<group>:<index>` need them. */
  readonly entries: readonly {
    event: string;
    group: number;
    index: number;
    command: string;
    timeout: number | undefined;
  }[];
}

/** Trouble that keeps a client from running hooks at all, whoever registered them. */
export interface HookTrouble {
  readonly file: string;
  readonly kind: 'unparsable' | 'disabled' | 'bad-neighbour';
  readonly detail: string;
}

/** Everywhere that our hook is registered with a client, in the directory `cwd`. Never throws. */
export function registrations(target: Target, env: Env, cwd: string): Registration[] {
  return [
    ...settingsFiles(target, env, cwd).flatMap(fromSettings),
    ...plugins(target, env, cwd),
    ...fromToml(target, env),
  ];
}

/** What stands in the way. */
export function hookTroubles(target: Target, env: Env, cwd: string): HookTrouble[] {
  return settingsFiles(target, env, cwd).flatMap(({ file }) => troublesOf(target, file));
}

interface Place {
  readonly kind: 'user' | 'project' | 'local';
  readonly file: string;
}

function settingsFiles(target: Target, env: Env, cwd: string): Place[] {
  const project = target.file('project', env, cwd);
  const all: Place[] = [
    { kind: 'user', file: target.file('user', env, cwd) },
    { kind: 'project', file: project },
    ...(target.name === 'claude-code'
      ? [{ kind: 'local' as const, file: join(dirname(project), 'settings.local.json') }]
      : []),
  ];
  // In the home directory the project's file is the user's.
  return all.filter(({ file }, at) => existsSync(file) && all.findIndex(one => one.file === file) === at);
}

function fromSettings({ kind, file }: Place): Registration[] {
  try {
    const entries = ownEntries(readFileSync(file, 'utf8'));
    return entries.length > 0 ? [{ kind, file, entries, events: countEvents(entries.map(one => one.event)) }] : [];
  } catch {
    return [];
  }
}

function countEvents(events: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events) counts[event] = (counts[event] ?? 0) + 1;
  return counts;
}

/** Plugins are registered as `preturn@MARKETPLACE` in both clients. */
function plugins(target: Target, env: Env, cwd: string): Registration[] {
  const events = countEvents(target.events.map(one => one.event));
  if (target.name === 'codex') {
    const file = codexToml(env);
    const enabled = Object.entries(object(readToml(file).plugins)).some(
      ([name, value]) => name.startsWith('preturn@') && object(value).enabled !== false,
    );
    return enabled ? [{ kind: 'plugin', file, events, entries: [] }] : [];
  }
  return settingsFiles(target, env, cwd)
    .filter(({ file }) => {
      const enabled = object(object(readJsonc(file)).enabledPlugins);
      return Object.entries(enabled).some(([name, on]) => name.startsWith('preturn@') && on !== false);
    })
    .slice(0, 1)
    .map(({ file }) => ({ kind: 'plugin', file, events, entries: [] }));
}

/** `[[hooks.Event]]` in Codex's config.toml, written by hand. */
function fromToml(target: Target, env: Env): Registration[] {
  if (target.name !== 'codex') return [];
  const file = codexToml(env);
  const events = Object.entries(object(readToml(file).hooks)).flatMap(([event, groups]) =>
    list(groups)
      .flatMap(group => list(object(group).hooks))
      .filter(entry => isOwnCommand(object(entry).command))
      .map(() => event),
  );
  return events.length > 0 ? [{ kind: 'toml', file, events: countEvents(events), entries: [] }] : [];
}

export function codexToml(env: Env): string {
  return join(env.CODEX_HOME || join(env.HOME || homedir(), '.codex'), 'config.toml');
}

function troublesOf(target: Target, file: string): HookTrouble[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    ownEntries(text);
  } catch (error) {
    return [{ file, kind: 'unparsable', detail: (error as Error).message }];
  }
  const found: HookTrouble[] = [];
  if (target.name === 'claude-code' && object(readJsonc(file)).disableAllHooks === true) {
    found.push({ file, kind: 'disabled', detail: 'disableAllHooks' });
  }
  const bad = badNeighbour(property(parseTree(text.replace(/^\uFEFF/, ' ')), 'hooks'));
  if (bad !== undefined) found.push({ file, kind: 'bad-neighbour', detail: bad });
  return found;
}

/** One malformed entry disables all hooks of a file silently (claude-code#75081). */
function badNeighbour(hooks: Node | undefined): string | undefined {
  if (!hooks) return undefined;
  if (hooks.type !== 'object') return 'hooks';
  for (const member of hooks.children ?? []) {
    const [key, groups] = member.children ?? [];
    const path = `hooks.${String(key?.value)}`;
    if (groups?.type !== 'array') return path;
    for (const [at, group] of (groups.children ?? []).entries()) {
      const entries = property(group, 'hooks');
      if (entries?.type !== 'array') return `${path}[${at}]`;
      for (const [index, entry] of (entries.children ?? []).entries()) {
        if (typeof property(entry, 'type')?.value !== 'string') return `${path}[${at}].hooks[${index}]`;
      }
    }
  }
  return undefined;
}

function readJsonc(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

export function readToml(file: string): Record<string, unknown> {
  try {
    return parseToml(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
