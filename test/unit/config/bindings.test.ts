import { expect, it } from 'vitest';
import { type InboxOptions, resolveInboxes } from '../../../src/config/load.ts';
import { ConfigShape, type ProjectConfig } from '../../../src/config/schema.ts';

const source = (name: string) => ({ name, url: `file:/no/such/${name}.db`, agent: 'everyday' });

function agents(
  bindings: Array<{ dir: string; source: string; agent: string }>,
  cwd: string,
  options: { env?: Record<string, string>; project?: ProjectConfig; codex?: boolean } = {},
): string[] {
  const config = ConfigShape({ sources: [source('a'), source('b')], bindings }, '');
  const env = { PRETURN_CONFIG_DIR: '/no/such', ...options.env };
  const wanted: InboxOptions = { cwd, bindingFirst: options.codex ?? false };
  return resolveInboxes(config, options.project ?? {}, env, wanted).map(({ name, identity }) => `${name}:${identity}`);
}
const bind = (dir: string, agent = 'bound', to = 'a') => ({ dir, source: to, agent });

it.each([
  ['the directory itself', '/proj', '/proj', 'bound'],
  ['below it', '/proj', '/proj/x/y', 'bound'],
  ['written with a slash at its end', '/proj/', '/proj/x', 'bound'],
  ['written with dots', '/proj/../proj/.', '/proj', 'bound'],
  ['the root', '/', '/proj', 'bound'],
  ['a name that only begins alike', '/pro', '/proj', 'everyday'],
  ['above it', '/proj/x', '/proj', 'everyday'],
])('a binding of %s', (_, dir, cwd, agent) => {
  expect(agents([bind(dir)], cwd)[0]).toBe(`a:${agent}`);
});

it('the nearest directory wins, and each source has its own', () => {
  const bindings = [bind('/p', 'far'), bind('/p/deep/', 'near'), bind('/p', 'other', 'b')];
  expect(agents(bindings, '/p/deep/x')).toEqual(['a:near', 'b:other']);
});

it('a project’s list of sources holds for the environment’s, too: it is named env', () => {
  const env = { PRETURN_URL: 'file:/no/such/env.db', PRETURN_AGENT: 'me' };
  expect(agents([], '/p', { env })).toEqual(['env:me']);
  expect(agents([], '/p', { env, project: { sources: ['a'] } })).toEqual([]);
  expect(agents([], '/p', { env, project: { sources: [] } })).toEqual([]);
  expect(agents([], '/p', { env, project: { sources: ['env'] } })).toEqual(['env:me']);
});
