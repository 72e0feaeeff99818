import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readAll, readHidden } from '../../../src/commands/shared/stdin.ts';

/** The part of a terminal that readHidden uses. */
class Terminal extends EventEmitter {
  readonly modes: boolean[] = [];
  setRawMode(mode: boolean) {
    this.modes.push(mode);
  }
  resume() {}
  pause() {}
}

describe('a token typed at a terminal', () => {
  const type = async (...keys: string[]) => {
    const terminal = new Terminal();
    const line = readHidden(terminal as unknown as NodeJS.ReadStream);
    for (const key of keys) terminal.emit('data', Buffer.from(key));
    return [await line, terminal.modes, terminal.listenerCount('data')];
  };
  test.each([
    [['abc\r'], 'abc'],
    [['a', 'b', 'x', '\x7f', 'c', '\n'], 'abc'],
    [['\x7f', 'a\n'], 'a'],
    [['abc', '\x03'], ''],
    [['\x04'], ''],
    [['abc\rdef'], 'abc'],
  ])('%j gives %j, and the terminal is as it was', async (keys, expected) => {
    expect(await type(...keys)).toEqual([expected, [true, false], 0]);
  });
});

describe('all of stdin', () => {
  test('joins characters that chunks cut', async () => {
    const bytes = Buffer.from('é🙂');
    expect(await readAll(Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 4), bytes.subarray(4)]))).toBe('é🙂');
  });
  test('is bounded', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536, 0x61);
      })(),
    );
    await expect(readAll(endless)).rejects.toMatchObject({ code: 'too_large' });
  });
});
