import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { READ_LIMIT, readSmallFile } from './files.ts';

/**
 * Runs a CommonJS bundle from V8's compiled code, kept in the user's state directory: parsing and first-time compiling
 * of the hook cost 8 of the 35 ms that it adds to a bare start, of the SQLite bundle 11 of 12 ms. (Node 22 has
 * `module.enableCompileCache`, Node 20 has not.) Anything wrong with the cache, and the source is compiled as usual.
 *
 * @param file absolute path of a bundle in ASCII
 */
export function runCached(file: string, cacheDir: string): unknown {
  const { size, mtimeMs } = statSync(file);
  // V8 itself compares only versions, flags and the length of the source.
  const name = `${basename(file)}-${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}`;
  const cache = join(cacheDir, name);
  const cachedData = readTwice(cache);
  const script = new Script(wrap(readFileSync(file, 'latin1')), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  // At the end of the run, so that what the run compiled lazily is in it.
  if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => keep(script, cache));
  const native = createRequire(file);
  const bundles = (id: string) =>
    id.startsWith('./pre-turn.') ? runCached(join(dirname(file), id), cacheDir) : native(id);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, Object.assign(bundles, native), module, file, dirname(file));
  return module.exports;
}

/**
 * The compiled code, which stands in its file twice: V8 runs damaged code (of 60 flipped bits, 17 killed the process,
 * and would at every turn), and comparing two copies is the cheapest check there is.
 */
function readTwice(path: string): Buffer | undefined {
  try {
    const bytes = readSmallFile(path, READ_LIMIT.own);
    const half = bytes.length / 2;
    const first = bytes.subarray(0, half);
    return half > 0 && first.equals(bytes.subarray(half)) ? first : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces what older versions of the same bundle left behind. */
function keep(script: Script, path: string): void {
  try {
    const dir = dirname(path);
    const bundle = basename(path).split('-v')[0]!;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const old of readdirSync(dir)) if (old.startsWith(`${bundle}-`)) unlinkSync(join(dir, old));
    const temporary = `${path}.${process.pid}.tmp`;
    const compiled = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([compiled, compiled]), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {}
}
