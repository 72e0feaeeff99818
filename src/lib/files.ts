import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
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

/** Bounds of what a run reads whole, bytes: a project's file comes with a repository, the rest is the user's own. */
export const READ_LIMIT = { project: 64 * 1024, own: 4 * 1024 * 1024, journal: 32 * 1024 * 1024 } as const;

/**
 * Reads a small file whole. Only a regular one, opened without waiting: at such a path may stand a pipe, which would hang
 * the turn beyond any signal, or a link to a device without end, which would eat the memory.
 *
 * @throws the file system's own error; EINVAL for what is no regular file, EFBIG above `limit` bytes
 */
export function readSmallFile(path: string, limit: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw refuse('EINVAL', `${path} is no regular file`);
    if (stat.size > limit) throw refuse('EFBIG', `${path} is larger than ${limit} bytes`);
    const bytes = Buffer.allocUnsafe(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function refuse(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, syscall: 'read' });
}
