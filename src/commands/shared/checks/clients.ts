import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CodexTrust, codexTrust } from '../../../harnesses/codex-trust.ts';
import { hookTroubles, type Registration, registrations } from '../../../harnesses/registration.ts';
import { TARGETS, type Target } from '../../../harnesses/targets.ts';
import { checks } from '../../../messages-doctor.ts';
import type { Context } from '../context.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** Each client that is present on this machine: our hook once, nothing in its way, trusted. */
export function checkClients({ env, cwd }: Context): Check[] {
  return TARGETS.flatMap(target => {
    const found = registrations(target, env, cwd);
    const present = found.length > 0 || existsSync(dirname(target.file('user', env, cwd)));
    if (!present) return [];
    const troubles = hookTroubles(target, env, cwd).map(({ file, kind, detail }) =>
      kind === 'bad-neighbour'
        ? warn(target.title, checks.badNeighbour(file, detail), checks.badNeighbourNext())
        : fail(target.title, checks.trouble[kind](file, detail), checks.troubleNext[kind]()),
    );
    return [...troubles, count(target, found), ...(target.name === 'codex' ? trust(target, found, env) : [])];
  });
}

function count(target: Target, found: readonly Registration[]): Check {
  const sum = (event: string) => found.reduce((all, one) => all + (one.events[event] ?? 0), 0);
  const prompt = sum('UserPromptSubmit');
  const places = found.map(one => `${one.kind} (${one.file})`).join(', ');
  if (prompt === 0) return warn(target.title, checks.notInstalled(), checks.notInstalledNext(target.name));
  if (sum('Stop') === 0) return warn(target.title, checks.noStop(places), checks.noStopNext(target.name));
  if (prompt > 1) return warn(target.title, checks.installedTwice(prompt, places), checks.installedTwiceNext());
  return ok(target.title, checks.installedOnce(places));
}

function trust(target: Target, found: readonly Registration[], env: Context['env']): Check[] {
  const states = found.filter(one => one.kind !== 'toml').flatMap(one => codexTrust(one, env));
  if (states.length === 0) return [];
  const name = `${target.title} trust`;
  const worst = (['disabled', 'untrusted', 'changed'] as const).find(state => states.some(one => one.trust === state));
  if (worst === undefined) return [ok(name, checks.trusted())];
  const events = states.filter(one => one.trust === worst).map(one => one.event);
  return [fail(name, checks.codexTrust[worst as Exclude<CodexTrust, 'trusted'>](events), checks.codexTrustNext())];
}
