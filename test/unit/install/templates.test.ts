import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hookCommand, launcherIn } from '../../../src/harnesses/launcher.ts';
import { addOwn } from '../../../src/harnesses/settings.ts';
import { TARGETS } from '../../../src/harnesses/targets.ts';

/** For people who keep their settings by hand: what `install --scope project` writes into an empty file. */
test.each([
  ['claude-code', 'claude-code.settings.json'],
  ['codex', 'codex.hooks.json'],
])('the snippet for %s is what install writes', (name, file) => {
  const { events } = TARGETS.find(target => target.name === name)!;
  const command = hookCommand(launcherIn('/home/me/.local/share/preturn'), 'project', { HOME: '/home/me' });
  const snippet = readFileSync(new URL(`../../../templates/harness/${file}`, import.meta.url), 'utf8');
  expect(snippet).toBe(addOwn('', events, command).text);
});
