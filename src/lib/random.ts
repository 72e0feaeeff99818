import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes of a nonce: 128 bits. */
const BYTES = 16;

/**
 * A fresh nonce, `[a-z0-9]+`, from the system's random source. The device is read directly, because requiring
 * node:crypto costs 2.7 ms; where there is none, node:crypto it is.
 */
export async function freshNonce(): Promise<string> {
  const bytes = readDevice() ?? (await import('node:crypto')).randomBytes(BYTES);
  return BigInt(`0x${bytes.toString('hex')}`).toString(36);
}

function readDevice(): Buffer | undefined {
  try {
    const file = openSync('/dev/urandom', 'r');
    try {
      const bytes = Buffer.alloc(BYTES);
      return readSync(file, bytes, 0, BYTES, null) === BYTES ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
