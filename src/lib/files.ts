import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file atomically: readers see the old or the new bytes, never a mixture.
 * The new bytes are on disk before the name moves; mode 0600.
 *
 * @throws the file system's own error; the temporary file is removed
 */
export function replaceFile(
  path: string,
  bytes: string,
  suffix: string,
  fsync: (file: number) => void = fsyncSync,
): void {
  const temporary = `${path}.${suffix}.tmp`;
  const file = openWithDirectory(temporary);
  try {
    try {
      // A disk that fills up takes a part and says so only at the next call.
      const data = Buffer.from(bytes);
      for (let at = 0; at < data.length; ) at += writeSync(file, data, at);
      fsync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {}
    throw error;
  }
}

function openWithDirectory(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'w', 0o600);
  }
}
