import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS } from './rig/clients.ts';
import { landed, occurrences, without } from './rig/landed.ts';

/** What `preturn install` writes is what the client runs, beside what the user had there. */
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

const FILE = { claude: 'settings.json', codex: 'hooks.json' };

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
    const doctor = await bench.preturn('doctor', '--json');
    expect(doctor.stdout).toContain(name);

    expect(await bench.preturn('uninstall', name)).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(path, 'utf8')).toBe(before);
    await bench.post.send({ content: 'MAIL-TWO' });
    const last = await bench.turn({ prompt: 'Second.' });
    expect(occurrences(last.requests[0]!, 'MINE')).toBe(1);
    expect(without(last.requests[0]!, [])).not.toMatch(/preturn|MAIL-/i);
    expect(await bench.post.cursor()).toBe(seq);
  });
});
