import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

type Json = Readonly<Record<string, unknown>>;

/** Records longer than this are skipped unread, UTF-8 bytes: whole requests stand in the same file as our entry. */
export const MAX_RECORD = 1024 * 1024;
const CHUNK = 256 * 1024;

/** Where a forward reader stands. */
export interface Position {
  readonly offset: number;
  /** Inside a record too long to parse; it ends at the next newline. */
  readonly skipping: boolean;
}

/**
 * Reads complete JSONL records forward from a stored position.
 *
 * @param maxBytes bound on bytes read in this run, at least MAX_RECORD (less might never pass one record); the caller
 *   resumes at the returned position
 * @param onRecord gets each parsed record; records that are no JSON object are passed over
 * @returns the next position, or undefined when there is no regular file to read (a FIFO must not block the turn)
 */
export function readRecords(
  path: string,
  from: Position,
  maxBytes: number,
  onRecord: (record: Json) => void,
): Position | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    // A shorter file is another file: read it from its start.
    const start = stat.size < from.offset ? { offset: 0, skipping: false } : from;
    return scan(file, start, Math.min(stat.size, start.offset + maxBytes), onRecord);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function scan(file: number, from: Position, end: number, onRecord: (record: Json) => void): Position {
  let { offset, skipping } = from;
  let rest: Buffer = Buffer.alloc(0);
  while (offset + rest.length < end) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - offset - rest.length));
    const read = readSync(file, chunk, 0, chunk.length, offset + rest.length);
    if (read === 0) break;
    let data: Buffer = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let newline = data.indexOf(0x0a); newline >= 0; newline = data.indexOf(0x0a)) {
      if (!skipping) parse(data.subarray(0, newline), onRecord);
      skipping = false;
      offset += newline + 1;
      data = data.subarray(newline + 1);
    }
    if (skipping || data.length > MAX_RECORD) {
      skipping = true;
      offset += data.length;
      data = Buffer.alloc(0);
    }
    rest = data;
  }
  return { offset, skipping };
}

function parse(line: Buffer, onRecord: (record: Json) => void): void {
  if (line.length === 0) return;
  let record: unknown;
  try {
    record = JSON.parse(line.toString('utf8'));
  } catch {
    return;
  }
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) onRecord(record as Json);
}

/** Size of the transcript now, UTF-8 bytes: 0 when it does not exist yet (first prompt of a session). */
export function transcriptSize(path: string): number {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const stat = fstatSync(file);
      return stat.isFile() ? stat.size : 0;
    } finally {
      closeSync(file);
    }
  } catch {
    return 0;
  }
}
