// What tsc leaves to do: the command must be executable in a checkout that nothing installed, and what an earlier
// build made of a source that is gone must not be packed. dist is never emptied: programs may be running from it.
import { chmodSync, existsSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const src = fileURLToPath(new URL('../', import.meta.url));

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (entry.isDirectory()) continue;
  const file = join(entry.parentPath ?? entry.path, entry.name);
  const source = join(src, file.slice(dist.length).replace(/(\.d\.ts|\.js)$/, '.ts'));
  if (!existsSync(source)) unlinkSync(file);
}
const cli = join(dist, 'cli.js');
if (existsSync(cli)) chmodSync(cli, 0o755);
