import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TARGETS } from '../../../src/harnesses/targets.ts';

const json = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const { name, version, description, license } = json('package.json');

describe('plugin manifests', () => {
  test.each(['.claude-plugin/plugin.json', '.codex-plugin/plugin.json'])('%s agrees with package.json', path => {
    expect(json(path)).toMatchObject({ name, version, license });
    expect(description).toBeTruthy();
  });

  test('the repository root is its own marketplace', () => {
    expect(json('.claude-plugin/marketplace.json').plugins).toMatchObject([{ name, source: './' }]);
  });

  test.each([
    ['claude-code', 'hooks/hooks.json', 'CLAUDE_PLUGIN_ROOT'],
    ['codex', 'hooks/codex-hooks.json', 'PLUGIN_ROOT'],
  ])('%s: the plugin registers the events and limits that install does', (target, path, root) => {
    const events = TARGETS.find(one => one.name === target)!.events;
    const command = `node "\${${root}}/hooks/pre-turn.cjs"`;
    expect(json(path)).toEqual({
      hooks: Object.fromEntries(
        events.map(({ event, timeout }) => [event, [{ hooks: [{ type: 'command', command, timeout }] }]]),
      ),
    });
  });

  test('Codex finds its hooks file', () => {
    expect(json('.codex-plugin/plugin.json').hooks).toBe('./hooks/codex-hooks.json');
  });
});
