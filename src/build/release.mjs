// Steps of `npm version`: `check` refuses a version without notes, `manifests` writes the version into the plugins'.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = name => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const MANIFESTS = ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json'];

const steps = {
  check() {
    const version = process.env.npm_new_version;
    const dated = `## ${version} (${new Date().toISOString().slice(0, 10)})`;
    if (readFileSync(file('CHANGELOG.md'), 'utf8').split('\n').includes(dated)) return;
    throw new Error(`CHANGELOG.md has no heading "${dated}": write what changed under it, then run npm version again.`);
  },
  manifests() {
    for (const name of MANIFESTS) {
      const text = readFileSync(file(name), 'utf8');
      writeFileSync(file(name), text.replace(/("version": )"[^"]*"/, `$1"${process.env.npm_package_version}"`));
    }
  },
};

try {
  steps[process.argv[2]]();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
