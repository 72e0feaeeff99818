import type { Readable } from 'node:stream';

/** Largest stdin we look at, UTF-8 bytes: a prompt may be long, a hook's memory may not. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What came on stdin. `object` is the parsed JSON object; `problem` says why there is none. */
export interface StdinResult {
  readonly object?: Readonly<Record<string, unknown>>;
  readonly problem?: 'none' | 'not-json' | 'not-utf8' | 'too-large' | 'incomplete';
}

/**
 * Reads one JSON object and stops as soon as it is complete, because some clients never close the pipe.
 * A byte order mark and unknown fields are fine. It never throws and never outlives `waitMs`.
 *
 * @param stream  the process's stdin; a terminal is not read at all
 * @param waitMs  own deadline, ms: a stdin that never ends or comes in drips must not eat the turn's budget
 */
export function readStdin(stream: Readable & { isTTY?: boolean }, waitMs: number): Promise<StdinResult> {
  if (stream.isTTY) return Promise.resolve({ problem: 'none' });
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let size = 0;
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
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > MAX_BYTES) return finish({ problem: 'too-large' });
      if (!endsLikeAnObject(bytes)) return;
      const parsed = parseObject(Buffer.concat(chunks));
      if (parsed.object) finish(parsed);
    };
    const onEnd = () => finish(size === 0 ? { problem: 'none' } : parseObject(Buffer.concat(chunks)));
    const timer = setTimeout(() => finish({ problem: size === 0 ? 'none' : 'incomplete' }), waitMs);
    stream.on('data', onData);
    stream.on('end', onEnd);
    stream.on('error', onEnd);
  });
}

/** Whether trying to parse is worth it: the last byte that is not white space closes an object. */
function endsLikeAnObject(bytes: Buffer): boolean {
  for (let i = bytes.length - 1; i >= 0; i--) {
    const byte = bytes[i]!;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    return byte === 0x7d;
  }
  return true;
}

function parseObject(bytes: Buffer): StdinResult {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'not-utf8' };
  }
  if (text.trim() === '') return { problem: 'none' };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { object: value as Record<string, unknown> };
    }
  } catch {}
  return { problem: 'not-json' };
}
