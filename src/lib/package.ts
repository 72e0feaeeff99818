import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory of this package, whether run from `src` or from `dist`. */
export function packageDir(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (dirname(at) === at) throw new Error('The package has no package.json.');
  }
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageDir(), 'package.json'), 'utf8')).version;
}
