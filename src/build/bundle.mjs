// Bundles the hook: one CommonJS file for every turn, and two more that it loads only when it needs them.
// All three are committed, so that a git checkout works as a plugin without a build; a test rebuilds and compares.
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Modules that are bundles of their own: source file, seen from an importer → file beside the hook. */
const SIBLINGS = { 'proxy.ts': './pre-turn.proxy.cjs', 'file.ts': './pre-turn.file.cjs' };

export const BUNDLES = [
  { entry: 'src/hook-bin.ts', out: 'hooks/pre-turn.cjs', executable: true },
  { entry: 'src/lib/proxy.ts', out: 'hooks/pre-turn.proxy.cjs' },
  { entry: 'src/sources/hyphae/file.ts', out: 'hooks/pre-turn.file.cjs' },
];

const siblings = {
  name: 'siblings',
  setup({ onResolve }) {
    onResolve({ filter: /\/(proxy|file)\.ts$/ }, args =>
      args.kind === 'dynamic-import'
        ? { path: SIBLINGS[args.path.slice(args.path.lastIndexOf('/') + 1)], external: true }
        : undefined,
    );
  },
};

/** @returns esbuild's result for one bundle: bytes in `outputFiles`, imports in `metafile`. */
export function bundle({ entry, out, executable }) {
  return build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: out,
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.18',
    format: 'cjs',
    // Native import() would start the ES module loader; require costs a tenth of it.
    supported: { 'dynamic-import': false },
    external: ['libsql'],
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
    plugins: [siblings],
    ...(executable ? { banner: { js: '#!/usr/bin/env node' } } : {}),
  });
}

export async function writeBundles() {
  const { writeFile } = await import('node:fs/promises');
  for (const spec of BUNDLES) {
    const { outputFiles } = await bundle(spec);
    const path = `${root}${spec.out}`;
    await writeFile(path, outputFiles[0].contents);
    await chmod(path, spec.executable ? 0o755 : 0o644);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeBundles();
