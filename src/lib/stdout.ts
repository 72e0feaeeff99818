import { writeSync } from 'node:fs';

/** Pause before trying a full pipe again, ms. */
const RETRY_MS = 2;

/**
 * Writes a text to stdout whole and resolves when the system has it. `process.stdout` would cost a millisecond to set up.
 * An envelope is far smaller than a pipe's buffer (64 KB), so the write does not block.
 *
 * @throws the system's own error (EPIPE when nobody reads)
 */
export async function writeStdout(text: string, sleep: (ms: number) => Promise<void>): Promise<void> {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The parent made the pipe non-blocking, and it is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(RETRY_MS);
    }
  }
}
