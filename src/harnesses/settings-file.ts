import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cliFailures } from '../messages-cli.ts';

/** A settings file as found; symlinks are followed, so that the link itself is kept. */
export interface SettingsFile {
  /** The path as the client knows it. */
  readonly path: string;
  /** The regular file behind it; it need not exist. */
  readonly target: string;
  /** Undefined when there is no file. */
  readonly text: string | undefined;
  readonly stats: Stats | undefined;
}

/** @throws `settings_unparsable` when the path is no regular file, or its bytes are not UTF-8; nothing is touched */
export function readSettings(path: string): SettingsFile {
  const target = followLinks(path);
  let bytes: Buffer;
  let stats: Stats;
  try {
    stats = statSync(target);
    if (!stats.isFile()) throw cliFailures.settingsNotAFile(path, 'it is not a regular file');
    bytes = readFileSync(target);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { path, target, text: undefined, stats: undefined };
    if (code === 'ENOTDIR') throw cliFailures.settingsNotAFile(path, 'a part of the path is not a directory');
    if (code === 'EACCES' || code === 'EPERM') throw cliFailures.settingsNotAFile(path, 'it may not be read');
    throw error;
  }
  return { path, target, text: decode(path, bytes), stats };
}

/**
 * Replaces the file atomically, keeping mode and, where permitted, owner. Never overwrites what someone else wrote
 * after `found` was read.
 *
 * @param newMode mode of a file that does not exist yet
 * @returns directories that had to be made, outermost first
 * @throws `busy` when the file changed meanwhile; the file system's error as `internal`
 */
export function writeSettings(found: SettingsFile, text: string, newMode: number): string[] {
  const dir = dirname(found.target);
  const made = makeDirs(dir);
  const temporary = `${found.target}.preturn-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (found.stats) keepOwner(temporary, found.stats);
    chmodSync(temporary, found.stats ? found.stats.mode & 0o7777 : newMode);
    if (readSettings(found.path).text !== found.text) throw cliFailures.settingsMoving(found.path);
    renameSync(temporary, found.target);
    syncDir(dir);
    return made;
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {}
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw cliFailures.fileTrouble('Writing', found.path, (error as Error).message, error);
  }
}

/** SHA-256 of the UTF-8 bytes, hex. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The file at the end of the links, existing or not: a dangling link is filled, not replaced. */
function followLinks(path: string): string {
  let at = path;
  for (let hops = 0; hops < 40; hops++) {
    let link: string;
    try {
      if (!lstatSync(at).isSymbolicLink()) break;
      link = readlinkSync(at);
    } catch {
      break;
    }
    at = resolve(dirname(at), link);
    if (hops === 39) throw cliFailures.settingsNotAFile(path, 'its symbolic links go round in a circle');
  }
  try {
    return realpathSync(at);
  } catch {
    return at;
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { line, column } = firstInvalid(bytes);
    throw cliFailures.settingsUnparsable(path, line, column, 'the bytes are not UTF-8');
  }
}

function firstInvalid(bytes: Buffer): { readonly line: number; readonly column: number } {
  let line = 1;
  for (let start = 0; ; line++) {
    const next = bytes.indexOf(0x0a, start);
    const end = next < 0 ? bytes.length : next;
    const text = new TextDecoder('utf-8').decode(bytes.subarray(start, end));
    const bad = text.indexOf('\uFFFD');
    // A real U+FFFD is legal: only a line whose bytes do not come back is at fault.
    if (bad >= 0 && !Buffer.from(text).equals(bytes.subarray(start, end))) return { line, column: bad + 1 };
    if (next < 0) return { line, column: 1 };
    start = next + 1;
  }
}

function makeDirs(dir: string): string[] {
  const made: string[] = [];
  for (let at = dir; ; at = dirname(at)) {
    try {
      statSync(at);
      break;
    } catch {
      made.unshift(at);
    }
    if (dirname(at) === at) break;
  }
  try {
    for (const one of made) mkdirSync(one, { mode: 0o755 });
  } catch (error) {
    throw cliFailures.fileTrouble('Making the directory', dir, (error as Error).message, error);
  }
  return made;
}

function keepOwner(path: string, stats: Stats): void {
  try {
    chownSync(path, stats.uid, stats.gid);
  } catch {
    // Only root may give files away; the same user keeps its own anyway.
  }
}

function syncDir(dir: string): void {
  try {
    const file = openSync(dir, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Some file systems cannot sync a directory; the rename itself is done.
  }
}
