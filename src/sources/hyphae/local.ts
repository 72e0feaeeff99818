import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { failures } from '../../messages.ts';
import type { Source } from '../source.ts';
import type { FileOptions, FilePuller } from './file.ts';

/** A file written less than this ago may be written again within the clock tick of its stamp, ms. */
const RACY_MS = 100;

export interface LocalOptions extends FileOptions {
  /** Where the package is installed: a bare checkout has no native SQLite library of its own. */
  readonly packageDir: string | undefined;
  readonly now: () => number;
}

/** The `file:` source as the hook sees it: the database library is loaded by the first pull, not before. */
export function localSource(options: LocalOptions): Source {
  let puller: Promise<FilePuller> | undefined;
  return {
    name: options.name,
    origin: options.origin,
    async pull(request, signal) {
      if (!exists(options.path)) throw failures.unreachable(options.origin, 'the file does not exist');
      puller ??= load(options.packageDir).then(library => library.filePuller(options));
      return (await puller).pull(request, signal);
    },
    stamp: () => storeStamp(options.path, options.now()),
  };
}

type FileLibrary = typeof import('./file.ts');

async function load(packageDir: string | undefined): Promise<FileLibrary> {
  try {
    return await import('./file.ts');
  } catch (error) {
    if (packageDir === undefined) throw error;
    return createRequire(join(packageDir, 'package.json'))('./hooks/pre-turn.file.cjs') as FileLibrary;
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Identity, size and time of the database and its write-ahead log. Equal stamps mean that nothing was written between
 * them; undefined means that this cannot be told.
 */
export function storeStamp(path: string, now: number): string | undefined {
  const parts: string[] = [];
  for (const file of [path, `${path}-wal`]) {
    try {
      const { ino, size, mtimeMs } = statSync(file);
      if (Math.abs(now - mtimeMs) < RACY_MS) return undefined;
      parts.push(`${ino}:${size}:${mtimeMs}`);
    } catch {
      parts.push('-');
    }
  }
  return parts[0] === '-' ? undefined : parts.join('/');
}
