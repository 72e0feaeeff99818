import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drainSource } from '../../../src/drain.ts';
import { type RestOptions, restSource } from '../../../src/sources/hyphae/rest.ts';

const ORIGIN = 'http://relay.test:7717';
const PATH = '/v1/inbox:pull';
const EMPTY = JSON.stringify({ items: [], cursor: 0, window_high: 0, has_more: false });

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.abortPendingRequests();
  nock.cleanAll();
  nock.enableNetConnect();
});

const source = (more: Partial<RestOptions> = {}) =>
  restSource({ name: 'default', url: ORIGIN, origin: ORIGIN, token: 'tok', caFile: undefined, env: {}, ...more });
const signal = (ms = 5000) => AbortSignal.timeout(ms);
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fine',
    error => (error as { code: string }).code,
  );

/** Sends the parts a few ms apart; then ends, or breaks, or stays open. */
function parts(texts: readonly string[], then: 'end' | 'break' | 'stay'): Readable {
  return Readable.from(
    (async function* () {
      for (const text of texts) {
        yield text;
        await new Promise(resolve => setTimeout(resolve, 5));
      }
      if (then === 'break') throw new Error('reset');
      if (then === 'stay') await new Promise(() => {});
    })(),
    { objectMode: false },
  );
}

describe('the request', () => {
  it('is one POST with these headers and this body, to the byte', async () => {
    let seen: { headers: Record<string, string>; body: string } | undefined;
    nock(ORIGIN)
      .post(PATH)
      .reply(function (_, body) {
        seen = { headers: this.req.headers as never, body: JSON.stringify(body) };
        return [200, EMPTY];
      });
    await source().pull({ limit: 3, since: 2, ack: { seq: 2, epoch: 'e', row: { seq: 1, id: 'r' } } }, signal());
    expect(seen!.body).toBe('{"since":2,"ack":2,"limit":3}');
    const { 'user-agent': _, connection: __, ...headers } = seen!.headers;
    expect(headers).toEqual({
      host: 'relay.test:7717',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(seen!.body)),
      accept: 'application/json',
      authorization: 'Bearer tok',
      'preturn-epoch': 'e',
      'preturn-ack-row': '1:r',
    });
  });

  it('carries no token where there is none, and keeps the path of the address', async () => {
    nock(ORIGIN, { badheaders: ['authorization', 'preturn-epoch', 'preturn-ack-row', 'accept-encoding'] })
      .post(`/team/a${PATH}`)
      .reply(200, EMPTY);
    await source({ url: `${ORIGIN}/team/a/`, token: undefined }).pull({ limit: 1 }, signal());
  });

  it('follows no redirect: a token goes nowhere it was not meant for', async () => {
    nock(ORIGIN).post(PATH).reply(307, '', { location: 'http://elsewhere.test/v1/inbox:pull' });
    const elsewhere = nock('http://elsewhere.test').post(PATH).reply(200, EMPTY);
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('bad_reply');
    expect(elsewhere.isDone()).toBe(false);
  });

  it('is not made when time is over', async () => {
    const relay = nock(ORIGIN).post(PATH).reply(200, EMPTY);
    expect(await code(source().pull({ limit: 1 }, AbortSignal.abort()))).toBe('timeout');
    expect(relay.isDone()).toBe(false);
  });

  it('a token that no header can carry is an error, not a crash', async () => {
    expect(await code(source({ token: 'a\nb' }).pull({ limit: 1 }, signal()))).not.toBe('fine');
    const drained = await drainSource(source({ token: 'a\nb' }), {
      limit: 1,
      goal: undefined,
      epoch: null,
      matches: () => true,
      signal: signal(),
      left: () => 1000,
    });
    expect([drained.pages, drained.error?.code]).toEqual([[], 'unreachable']);
    expect(drained.error!.message).not.toContain('a\nb');
  });
});

describe('the answer', () => {
  it('may come in drips', async () => {
    nock(ORIGIN)
      .post(PATH)
      .reply(200, () => parts([EMPTY.slice(0, 9), EMPTY.slice(9, 10), EMPTY.slice(10)], 'end'));
    expect((await source().pull({ limit: 1 }, signal())).cursor).toBe(0);
  });

  it('that drips past the deadline is late', async () => {
    nock(ORIGIN)
      .post(PATH)
      .reply(200, () => parts([EMPTY.slice(0, 20)], 'stay'));
    expect(await code(source().pull({ limit: 1 }, signal(60)))).toBe('timeout');
  });

  it('that breaks in the middle is none', async () => {
    nock(ORIGIN)
      .post(PATH)
      .reply(200, () => parts([EMPTY.slice(0, 20)], 'break'));
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('unreachable');
  });

  it('in gzip, which nobody asked for, is none', async () => {
    nock(ORIGIN).post(PATH).reply(200, gzipSync(EMPTY), { 'content-encoding': 'gzip' });
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('bad_reply');
  });

  it('with a byte order mark, or that is no UTF-8, is judged as it stands', async () => {
    nock(ORIGIN).post(PATH).reply(200, `\uFEFF${EMPTY}`);
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('bad_reply');
    nock(ORIGIN)
      .post(PATH)
      .reply(200, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(EMPTY)]));
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('bad_reply');
  });

  it.each([204, 201, 304, 400, 413])('with status %i is no page', async status => {
    nock(ORIGIN).post(PATH).reply(status, EMPTY);
    expect(await code(source().pull({ limit: 1 }, signal()))).toBe('bad_reply');
  });

  it.each([
    ['an empty epoch', { 'preturn-epoch': '' }, {}],
    ['a row without an id', { 'preturn-window-row': '7:' }, {}],
    ['a row without a sequence', { 'preturn-window-row': 'x:y' }, {}],
    ['an outcome nobody knows', { 'preturn-ack': 'perhaps' }, {}],
    ['a row whose id holds colons', { 'preturn-window-row': '7:a:b' }, { windowRow: { seq: 7, id: 'a:b' } }],
  ])('with %s beside it', async (_, headers, wanted) => {
    nock(ORIGIN).post(PATH).reply(200, EMPTY, headers);
    const { epoch, windowRow, ack } = await source().pull({ limit: 1 }, signal());
    expect(JSON.parse(JSON.stringify({ epoch, windowRow, ack }))).toEqual(wanted);
  });
});
