// tsc writes plain files; the command must be executable in a checkout that nothing installed.
import { chmodSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
if (existsSync(cli)) chmodSync(cli, 0o755);
