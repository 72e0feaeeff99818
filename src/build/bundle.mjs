// Bundles the hook: a small loader and the turn itself, and two more that are loaded only when they are needed.
// All are committed, so that a git checkout works as a plugin without a build; a test rebuilds and compares.
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Modules that are bundles of their own: source file, seen from an importer → file beside the hook. */
const SIBLINGS = { 'proxy.ts': './pre-turn.proxy.cjs', 'file.ts': './pre-turn.file.cjs' };

export const BUNDLES = [
  { entry: 'src/hook-bin.ts', out: 'hooks/pre-turn.cjs', executable: true },
  { entry: 'src/hook-main.ts', out: 'hooks/pre-turn.main.cjs' },
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

/** libsql's own look-up of its native library costs more than opening the database: ours takes its place. */
const libsqlLookup = {
  name: 'libsql-lookup',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const body = /function requireNative\(\) \{[\s\S]*?\n\}\n/;
      const imports = /const \{ load, currentTarget \} = require\([^\n]*\nconst \{ familySync[^\n]*\n/;
      if (!body.test(source) || !imports.test(source)) throw new Error('libsql looks different: adapt libsqlLookup');
      const shim = fileURLToPath(new URL('native.cjs', import.meta.url));
      const contents = source
        .replace(imports, `const { nativeLibsql } = require(${JSON.stringify(shim)});\n`)
        .replace(body, 'const requireNative = () => nativeLibsql();\n');
      return { contents, loader: 'js' };
    });
  },
};

/**
 * esbuild leaves characters of regular expressions as they are, but the bundles are read as Latin-1 (which is what V8
 * keeps ASCII in): there each would become others. What it does escape, it escapes in the same way.
 */
function toAscii(text) {
  return text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @returns esbuild's result for one bundle, nothing written: bytes in `outputFiles`, imports in `metafile` */
export async function bundle({ entry, out, executable }) {
  const result = await build({
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
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [siblings, libsqlLookup],
    ...(executable ? { banner: { js: '#!/usr/bin/env node' } } : {}),
  });
  const outputFiles = result.outputFiles.map(file => ({ ...file, contents: Buffer.from(toAscii(file.text)) }));
  return { ...result, outputFiles };
}

/** Builds all bundles; a file that is the same already stays untouched, and a running hook sees the old or the new one. */
export async function writeBundles() {
  for (const spec of BUNDLES) {
    const bytes = Buffer.from((await bundle(spec)).outputFiles[0].contents);
    const path = `${root}${spec.out}`;
    const mode = spec.executable ? 0o755 : 0o644;
    const before = await readFile(path).catch(() => undefined);
    if (before === undefined || !before.equals(bytes)) {
      await writeFile(`${path}.${process.pid}.tmp`, bytes, { mode });
      await rename(`${path}.${process.pid}.tmp`, path);
    }
    await chmod(path, mode);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeBundles();
