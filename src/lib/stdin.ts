import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Largest stdin we look at, UTF-8 bytes: a prompt may be long, a hook's memory may not. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Pause between looks at a pipe without new bytes, ms. */
const POLL_MS = 2;
/** Bytes of one read: what comes in reads this long is a burst with more to follow. */
const CHUNK = 64 * 1024;

/** What came on stdin. `object` is the parsed JSON object; `problem` says why there is none. */
export interface StdinResult {
  readonly object?: Readonly<Record<string, unknown>>;
  readonly problem?: 'none' | 'not-json' | 'not-utf8' | 'too-large' | 'incomplete';
}

/**
 * Gathers bytes until they are one JSON object. A result comes as soon as the object is complete, because some clients
 * never close the pipe; a byte order mark and unknown fields are fine.
 */
export function stdinCollector(): {
  push(bytes: Uint8Array): StdinResult | undefined;
  end(): StdinResult;
  late(): StdinResult;
} {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let tried = 0;
  return {
    push(bytes) {
      chunks.push(bytes);
      size += bytes.length;
      if (size > MAX_BYTES) return { problem: 'too-large' };
      if (!endsLikeAnObject(bytes)) return undefined;
      // Inside a burst only when it has doubled: 8 MB of braces tried at every read took more than the turn's budget.
      if (bytes.length >= CHUNK && size < 2 * tried) return undefined;
      tried = size;
      const parsed = parseObject(Buffer.concat(chunks));
      return parsed.object ? parsed : undefined;
    },
    end: () => (size === 0 ? { problem: 'none' } : parseObject(Buffer.concat(chunks))),
    late() {
      const parsed = size === tried ? {} : parseObject(Buffer.concat(chunks));
      return parsed.object ? parsed : { problem: size === 0 ? 'none' : 'incomplete' };
    },
  };
}

/**
 * Reads the process's stdin. Files and pipes are read directly: `process.stdin` costs a millisecond or two to set up,
 * which is left to sockets (what Node gives its children as pipes). Never throws, never outlives `waitMs`.
 *
 * @param waitMs own deadline, ms: a stdin that never ends or comes in drips must not eat the turn's budget
 */
export async function readProcessStdin(waitMs: number, sleep: (ms: number) => Promise<void>): Promise<StdinResult> {
  const file = reopen();
  if (file === undefined) return readStream(process.stdin, waitMs);
  const collector = stdinCollector();
  const chunk = Buffer.allocUnsafe(CHUNK);
  const until = process.uptime() * 1000 + waitMs;
  try {
    // By the clock, not by polls: a busy machine's poll takes longer, and a writer without end gives none.
    while (process.uptime() * 1000 < until) {
      let count: number;
      try {
        count = readSync(file, chunk, 0, chunk.length, null);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return collector.end();
        await sleep(POLL_MS);
        continue;
      }
      if (count === 0) return collector.end();
      const result = collector.push(Buffer.from(chunk.subarray(0, count)));
      if (result) return result;
    }
    return collector.late();
  } finally {
    closeSync(file);
  }
}

/** Stdin as a descriptor of our own that never blocks; undefined where it is a terminal, a socket, or cannot be reopened. */
function reopen(): number | undefined {
  try {
    const stat = fstatSync(0);
    if (!stat.isFIFO() && !stat.isFile()) return undefined;
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** The same over a stream; a terminal is not read at all. */
export function readStream(stream: Readable & { isTTY?: boolean }, waitMs: number): Promise<StdinResult> {
  if (stream.isTTY) return Promise.resolve({ problem: 'none' });
  const collector = stdinCollector();
  return new Promise(resolve => {
    const finish = (result: StdinResult) => {
      clearTimeout(timer);
      stream.removeListener('data', onData);
      stream.removeListener('end', onEnd);
      stream.removeListener('error', onEnd);
      stream.on('error', () => {});
      stream.pause();
      resolve(result);
    };
    const onData = (chunk: Buffer | string) => {
      const result = collector.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (result) finish(result);
    };
    const onEnd = () => finish(collector.end());
    const timer = setTimeout(() => finish(collector.late()), waitMs);
    stream.on('data', onData);
    stream.on('end', onEnd);
    stream.on('error', onEnd);
  });
}

/** Whether trying to parse is worth it: the last byte that is not white space closes an object. */
function endsLikeAnObject(bytes: Uint8Array): boolean {
  for (let i = bytes.length - 1; i >= 0; i--) {
    const byte = bytes[i]!;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    return byte === 0x7d;
  }
  return true;
}

function parseObject(bytes: Buffer): StdinResult {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') return { problem: 'none' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: isUtf8(bytes, text) ? 'not-json' : 'not-utf8' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'not-json' };
  return isUtf8(bytes, text) ? { object: value as Record<string, unknown> } : { problem: 'not-utf8' };
}

/** Bytes that are no UTF-8 become U+FFFD; only then is a second look worth its cost. */
function isUtf8(bytes: Buffer, text: string): boolean {
  return !text.includes('\uFFFD') || Buffer.from(bytes.toString('utf8')).equals(bytes);
}
