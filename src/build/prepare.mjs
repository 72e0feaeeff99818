// Builds on `npm install`, `npm ci` and `npm pack`. npm also runs it where the build tools were left out
// (`--omit=dev`), and there it must do nothing and succeed.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const has = name => existsSync(`${root}node_modules/${name}/package.json`);

if (has('typescript') && has('esbuild')) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
}
