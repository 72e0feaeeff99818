import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { hookHash } from '../../src/harnesses/codex-trust.ts';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS, CODEX } from './rig/clients.ts';
import { landed, occurrences, without } from './rig/landed.ts';

/** What `preturn install` writes is what the client runs, beside what the user had there. */
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

/** What `preturn doctor` says, by the name of each check. */
async function checks(bench: Bench): Promise<Record<string, string>> {
  const { stdout } = await bench.preturn('doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
  return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
}

const FILE = { claude: 'settings.json', codex: 'hooks.json' };
const TITLE = { claude: 'Claude Code', codex: 'Codex' };

describe.each(CLIENTS)('$title', ({ client, open }) => {
  test('installed, it delivers and acknowledges; uninstalled, the settings are as before and it is silent', async () => {
    const bench = await openBench(open);
    benches.push(bench);
    const path = join(bench.session.dir, 'config', FILE[client]);
    const mine = `printf '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"MINE"}}'`;
    const before = `{\n\t"hooks" : { "UserPromptSubmit": [ {"hooks":[ {"type":"command", "command":${JSON.stringify(mine)}} ]} ] }\n}`;
    await writeFile(path, before);
    const name = client === 'claude' ? 'claude-code' : 'codex';
    expect(await bench.preturn('install', name)).toMatchObject({ code: 0, stderr: '' });

    const [seq] = await bench.post.send({ content: 'MAIL-ONE' });
    const turn = await bench.turn({ prompt: 'First.' });
    const [request] = turn.requests;
    expect(landed(request!, 'MAIL-ONE').map(part => part.role)).toEqual([bench.session.role]);
    for (const text of ['MAIL-ONE', 'MINE', '<receipt ']) expect(occurrences(request!, text)).toBe(1);
    expect(await bench.post.cursor()).toBe(seq);
    expect(await checks(bench)).toMatchObject({ [TITLE[client]]: 'ok', 'last run': 'ok', launcher: 'ok' });

    expect(await bench.preturn('uninstall', name)).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(path, 'utf8')).toBe(before);
    await bench.post.send({ content: 'MAIL-TWO' });
    const last = await bench.turn({ prompt: 'Second.' });
    expect(occurrences(last.requests[0]!, 'MINE')).toBe(1);
    expect(without(last.requests[0]!, [])).not.toMatch(/preturn|MAIL-/i);
    expect(await bench.post.cursor()).toBe(seq);
  });
});

describe(CODEX.title, () => {
  test('it runs the installed hook once its user has trusted it, and doctor knows the difference', async () => {
    const bench = await openBench(CODEX.open);
    benches.push(bench);
    await bench.preturn('install', 'codex');
    const [seq] = await bench.post.send({ content: 'MAIL-ONE' });
    const skipped = await bench.turn({ prompt: 'First.', trustedOnly: true });
    expect(occurrences(skipped.requests[0]!, 'MAIL-ONE')).toBe(0);
    expect(await checks(bench)).toMatchObject({ 'Codex trust': 'fail' });

    // What Codex writes when its user accepts the hook at the prompt.
    const config = join(bench.session.dir, 'config');
    const file = join(config, 'hooks.json');
    const { hooks } = JSON.parse(await readFile(file, 'utf8')) as Hooks;
    const trust = ['UserPromptSubmit', 'Stop'].map(event => {
      const name = event === 'Stop' ? 'stop' : 'user_prompt_submit';
      const { command, timeout } = hooks[event]![0]!.hooks[0]!;
      const key = JSON.stringify(`${file}:${name}:0:0`);
      return `[hooks.state.${key}]\ntrusted_hash = "${hookHash(name, command, timeout)}"\n`;
    });
    await appendFile(join(config, 'config.toml'), trust.join(''));
    const run = await bench.turn({ prompt: 'Second.', trustedOnly: true });
    expect(occurrences(run.requests[0]!, 'MAIL-ONE')).toBe(1);
    expect(await bench.post.cursor()).toBe(seq);
    expect(await checks(bench)).toMatchObject({ 'Codex trust': 'ok', 'last run': 'ok' });
  });
});

interface Hooks {
  readonly hooks: Readonly<
    Record<string, { readonly hooks: { readonly command: string; readonly timeout: number }[] }[]>
  >;
}
