// Builds on `npm install`, `npm ci` and `npm pack`. npm also runs it where the build tools were left out
// (`--omit=dev`), and there it must do nothing and succeed.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const has = name => existsSync(`${root}node_modules/${name}/package.json`);

// Through a shell, because on Windows npm is a batch file. The output goes to stderr: `npm pack --json` owns stdout.
if (has('typescript') && has('esbuild')) {
  execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] });
}
