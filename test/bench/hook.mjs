// What a turn costs: `npm run bench:hook`. Every command runs once a round, in random order; the figures are medians
// over rounds of ratios within the same round. BENCH_ROUNDS sets the rounds (default 15), BENCH_JSON=1 prints samples.
// On a busy machine `chrt -r 1 npm run bench:hook` (as root) keeps other processes out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCommands } from './commands.mjs';
import { startRelay } from './relay-client.mjs';
import { median, pairedRatio, shuffled, table } from './statistics.mjs';
import { BUNDLE_BYTES, BUNDLE_FILES, TARGETS } from './targets.mjs';

const rounds = Number(process.env.BENCH_ROUNDS) || 15;
const hasTools = ['curl', 'jq'].every(tool => spawnSync(tool, ['--version']).status === 0);
if (!hasTools) console.log('curl or jq is missing: the rows that compare with the shell script are left out.');

const root = mkdtempSync(join(tmpdir(), 'preturn-bench-'));
// NODE_EXTRA_CA_CERTS makes every start of Node 20 2.7 × slower, which would flatter every ratio.
const relay = await startRelay({ PATH: process.env.PATH, HOME: root });
try {
  const commands = await makeCommands({ root, relay, hasTools });
  const samples = Object.fromEntries(Object.keys(commands).map(name => [name, []]));
  // One round to warm the page cache; it is not counted.
  for (let round = -1; round < rounds; round++) {
    for (const name of shuffled(Object.keys(commands))) {
      await commands[name].prepare();
      const { wall, cpu } = await commands[name].run();
      if (round >= 0) samples[name].push({ wall, cpu });
    }
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  report(samples);
} finally {
  relay.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

function report(samples) {
  const bases = ['node -e 0', 'bash + curl + jq', 'minimal script'].filter(name => name in samples);
  const head = ['median of paired ratios', 'wall ms', 'CPU ms', ...bases.flatMap(base => [`÷ ${base}`, 'CPU'])];
  const rows = Object.keys(samples).map(name => [
    name,
    median(samples[name].map(sample => sample.wall)).toFixed(1),
    median(samples[name].map(sample => sample.cpu)).toFixed(1),
    ...bases.flatMap(base => ['wall', 'cpu'].map(what => pairedRatio(samples, name, base, what).toFixed(2))),
  ]);
  console.log(`${rounds} rounds, Node ${process.version}, ${cpus().length} × ${cpus()[0].model}\n`);
  console.log(table([head, ...rows]));

  const hooks = fileURLToPath(new URL('../../hooks/', import.meta.url));
  const bytes = BUNDLE_FILES.reduce((sum, file) => sum + statSync(join(hooks, file)).size, 0);
  const verdicts = TARGETS.filter(target => target.base in samples).map(({ name, base, atMost }) => {
    const ratio = pairedRatio(samples, name, base, 'wall');
    return [`${name} ÷ ${base}`, ratio.toFixed(2), `≤ ${atMost.toFixed(2)}`, ratio <= atMost ? 'met' : 'MISSED'];
  });
  const size = [String(bytes), `≤ ${BUNDLE_BYTES}`, bytes <= BUNDLE_BYTES ? 'met' : 'MISSED'];
  console.log(
    `\n${table([['target (wall)', 'found', 'wanted', ''], ...verdicts, [`${BUNDLE_FILES.join(' + ')}, bytes`, ...size]])}`,
  );
  if (process.env.BENCH_JSON === '1') console.log(JSON.stringify(samples));
}
