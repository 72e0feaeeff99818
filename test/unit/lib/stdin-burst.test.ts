import { afterEach, expect, it, vi } from 'vitest';
import { stdinCollector } from '../../../src/lib/stdin.ts';

const CHUNK = 64 * 1024;
afterEach(() => vi.restoreAllMocks());

/** Feeds a text in reads of 64 KB, as a pipe gives them. */
function feed(text: string) {
  const collector = stdinCollector();
  const bytes = Buffer.from(text);
  let result: ReturnType<typeof collector.push>;
  for (let at = 0; at < bytes.length && !result; at += CHUNK) result = collector.push(bytes.subarray(at, at + CHUNK));
  return { collector, result };
}

it('tries a long burst whose every read ends like an object a few times, not at every read', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const { result } = feed(`{"a":"${'}'.repeat(7 * 1024 * 1024)}`);
  expect(result).toBeUndefined();
  expect(parse.mock.calls.length).toBeLessThan(12);
});

it('gives a long prompt as soon as its last read has come', () => {
  const prompt = '}'.repeat(3 * 1024 * 1024);
  expect(feed(JSON.stringify({ prompt })).result).toEqual({ object: { prompt } });
});

it('finds an object that fills its last read to the byte when nothing more comes', () => {
  const prompt = '}'.repeat(3 * CHUNK - '{"prompt":""}'.length);
  const { collector, result } = feed(JSON.stringify({ prompt }));
  expect(result ?? collector.late()).toEqual({ object: { prompt } });
});

it('is late with nothing, with half an object, and with something else', () => {
  expect(stdinCollector().late()).toEqual({ problem: 'none' });
  for (const text of ['{"a":', '{"a":1}}', '[1]']) {
    const collector = stdinCollector();
    expect(collector.push(Buffer.from(text))).toBeUndefined();
    expect(collector.late()).toEqual({ problem: 'incomplete' });
  }
});
