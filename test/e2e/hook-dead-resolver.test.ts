import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HOOK, makeHome } from '../helpers/hook.ts';

/** A network of one's own needs root, or a kernel that gives users a namespace of theirs. */
const networks = spawnSync('unshare', ['-Urmn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

it.skipIf(!networks)(
  'a name server that never answers does not keep the process alive (needs a network namespace)',
  () => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const put = (name: string, text: string) => writeFileSync(join(home.dir, name), text);
    put('resolv.conf', 'nameserver 127.0.0.1\n');
    put('in', JSON.stringify({ session_id: 's', prompt_id: 'p', hook_event_name: 'UserPromptSubmit' }));
    put('sink.cjs', "require('dgram').createSocket('udp4').bind(53, '127.0.0.1', () => console.log('bound'));");
    const script = `
    ip link set lo up
    mount --bind resolv.conf /etc/resolv.conf
    : > sink
    "${process.execPath}" sink.cjs > sink & sink=$!
    until grep -q bound sink; do sleep 0.05; done
    began=$(date +%s%N)
    "${process.execPath}" "${HOOK}" < in > out 2> err; echo $? > code
    echo $(( ($(date +%s%N) - began) / 1000000 )) > ms
    kill $sink`;
    const run = spawnSync('unshare', ['-Urmn', 'sh', '-euc', script], {
      cwd: home.dir,
      env: { ...home.env, PRETURN_URL: 'http://relay.test', PRETURN_TOKEN: 'x' },
      encoding: 'utf8',
    });
    expect([run.status, run.stderr]).toEqual([0, '']);
    const read = (name: string) => readFileSync(join(home.dir, name), 'utf8');
    expect([read('code'), read('err')]).toEqual(['0\n', '']);
    expect(read('out')).toContain('no answer');
    // Two times 5 s by the resolver's own rules; the budget is 1.5 s, the rest is for a busy machine.
    expect(Number(read('ms'))).toBeLessThan(8000);
  },
);
