import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readStream } from '../../../src/lib/stdin.ts';
import { makeHome, runBuiltHook } from '../../helpers/hook.ts';

/** A stream that has the chunks, and ends or not. */
function stream(chunks: readonly (string | Uint8Array)[], end = true) {
  const through = new PassThrough();
  for (const chunk of chunks) through.write(chunk);
  if (end) through.end();
  return through;
}
/** Generous: only a broken reader gets there. */
const LONG = 5000;

it.each([
  ['one object', ['{"a":1}'], { object: { a: 1 } }],
  [
    'in drips, cut inside a character',
    [Buffer.from('{"a":"'), Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1), Buffer.from('"}')],
    { object: { a: 'é' } },
  ],
  ['with a byte order mark and white space', ['\uFEFF {"a":1}\r\n\t'], { object: { a: 1 } }],
  ['with braces inside', ['{"a":"}', '{"}'], { object: { a: '}{' } }],
  ['with a replacement character of its own', ['{"a":"\uFFFD"}'], { object: { a: '\uFFFD' } }],
  ['nothing', [], { problem: 'none' }],
  ['white space', ['  \n'], { problem: 'none' }],
  ['a list', ['[1]'], { problem: 'not-json' }],
  ['null', ['null'], { problem: 'not-json' }],
  ['words', ['hello'], { problem: 'not-json' }],
  ['two objects', ['{"a":1}{"b":2}'], { problem: 'not-json' }],
  ['Latin-1', [Buffer.from('{"a":"\xe9"}', 'latin1')], { problem: 'not-utf8' }],
])('%s', async (_, chunks, wanted) => {
  expect(await readStream(stream(chunks), LONG)).toEqual(wanted);
});

it('stops as soon as the object is complete, though the pipe never closes', async () => {
  expect(await readStream(stream(['{"a":', '1}'], false), LONG)).toEqual({ object: { a: 1 } });
});

it('gives up at its own deadline on what never ends', async () => {
  expect(await readStream(stream([], false), 20)).toEqual({ problem: 'none' });
  expect(await readStream(stream(['{"a":'], false), 20)).toEqual({ problem: 'incomplete' });
});

it('refuses what is larger than 8 MB', async () => {
  expect(await readStream(stream([`{"a":"${'x'.repeat(9 * 1024 * 1024)}`], false), LONG)).toEqual({
    problem: 'too-large',
  });
});

it('does not read a terminal', async () => {
  expect(await readStream(Object.assign(stream(['{"a":1}']), { isTTY: true }), LONG)).toEqual({ problem: 'none' });
});

it('the process itself does the same, over a socket that stays open or a pipe', async () => {
  const home = makeHome();
  try {
    const open = await runBuiltHook({ stdin: '{"session_id":"s"', end: false, env: home.env });
    expect([open.code, open.stdout, open.stderr]).toEqual([0, '', '']);
    const never = await runBuiltHook({ stdin: null, env: home.env });
    expect([never.code, never.stdout, never.stderr]).toEqual([0, '', '']);
  } finally {
    home.remove();
  }
});
