import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acknowledge, acknowledgeOnly, type DrainOptions, drainSource } from '../../../src/drain.ts';
import { isIntricate, restSource } from '../../../src/sources/hyphae/rest.ts';
import type { AckRequest, Page } from '../../../src/sources/source.ts';

const ORIGIN = 'http://relay.test:7717';
const PATH = '/v1/inbox:pull';

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.enableNetConnect();
  expect(pending, 'requests that were expected and not made').toEqual([]);
});

const source = () =>
  restSource({ name: 'default', url: ORIGIN, origin: ORIGIN, token: 'tok', caFile: undefined, env: {} });
const signal = () => AbortSignal.timeout(5000);
const item = (seq: number, id = `d${seq}`) => ({
  delivery_seq: seq,
  diff: { diff_id: `diff-${seq}`, origin_agent_id: 'ag_alice', content: `body ${seq}`, tags: ['question'] },
  delivery: { delivery_id: id, score: seq / 100, delivered_at: '2026-12-01T00:00:00.000001Z' },
});
const page = (seqs: number[], cursor: number, high: number, more = false) => ({
  items: seqs.map(seq => item(seq)),
  cursor,
  window_high: high,
  has_more: more,
});
const post = (body: object, headers: Record<string, string> = {}) =>
  nock(ORIGIN, { reqheaders: { authorization: 'Bearer tok', 'content-type': 'application/json', ...headers } }).post(
    PATH,
    JSON.stringify(body),
  );
const options = (goal: AckRequest | undefined, more: Partial<DrainOptions> = {}): DrainOptions => ({
  limit: 50,
  goal,
  epoch: goal?.epoch ?? null,
  matches: () => true,
  signal: signal(),
  left: () => 1000,
  ...more,
});

describe('requests', () => {
  it('a first pull asks for a page and nothing else', async () => {
    post({ limit: 50 }).reply(200, page([1, 2], 0, 2), { 'preturn-epoch': 'e1', 'preturn-window-row': '2:d2' });
    const got = await source().pull({ limit: 50 }, signal());
    expect(got).toMatchObject({
      cursor: 0,
      windowHigh: 2,
      hasMore: false,
      epoch: 'e1',
      windowRow: { seq: 2, id: 'd2' },
    });
    expect(got.deliveries[0]).toMatchObject({
      seq: 1,
      id: 'd1',
      senderId: 'ag_alice',
      kind: 'question',
      body: 'body 1',
      score: 0.01,
    });
  });

  it('the ack rides on the next pull, under its epoch and the highest known row, above what it acknowledges', async () => {
    post({ since: 7, ack: 7, limit: 50 }, { 'preturn-epoch': 'e1', 'preturn-ack-row': '6:d6' }).reply(
      200,
      page([9], 7, 9),
      {
        'preturn-epoch': 'e1',
        'preturn-ack': 'applied',
      },
    );
    const drained = await drainSource(source(), options({ seq: 7, epoch: 'e1', row: { seq: 6, id: 'd6' } }));
    expect(drained).toMatchObject({ reset: false, pages: [{ cursor: 7, windowHigh: 9 }] });
  });

  it('an ack-only call carries no limit and asks for no items', async () => {
    post({ since: Number.MAX_SAFE_INTEGER, ack: 7 }).reply(200, page([], 7, 7), { 'preturn-epoch': 'e1' });
    expect(await acknowledge(source(), { seq: 7, epoch: 'e1' }, 0, signal())).toBe(7);
  });

  it('reads a second page while rows wait, and no third', async () => {
    post({ limit: 50 }).reply(200, page([1], 0, 50, true));
    post({ since: 50, limit: 50 }).reply(200, page([60], 0, 100, true));
    const { pages, error } = await drainSource(source(), options(undefined));
    expect([pages.map(p => p.windowHigh), error]).toEqual([[50, 100], undefined]);
  });

  it('asks again bare when the relay is another incarnation, and ignores the ack', async () => {
    post({ since: 7, ack: 7, limit: 50 }).reply(200, page([], 0, 0), {
      'preturn-epoch': 'e2',
      'preturn-ack': 'ignored-epoch',
    });
    post({ limit: 50 }).reply(200, page([1], 0, 1), { 'preturn-epoch': 'e2' });
    expect(await drainSource(source(), options({ seq: 7, epoch: 'e1' }))).toMatchObject({
      reset: true,
      pages: [{ windowHigh: 1 }],
    });
  });

  it('asks again bare when another row stands where ours stood', async () => {
    post({ since: 7, ack: 7, limit: 50 }).reply(200, page([], 5, 5), {
      'preturn-epoch': 'e1',
      'preturn-ack': 'ignored-row',
    });
    post({ limit: 50 }).reply(200, page([6], 5, 6), { 'preturn-epoch': 'e1' });
    const drained = await drainSource(source(), options({ seq: 7, epoch: 'e1', row: { seq: 7, id: 'd7' } }));
    expect(drained).toMatchObject({ reset: true, pages: [{ windowHigh: 6 }] });
  });
});

describe('a server without epochs', () => {
  it('is pulled bare first, and acknowledged only when its rows are the ones we settled', async () => {
    post({ limit: 50 }).reply(200, page([1, 2], 0, 2));
    post({ ack: 2, limit: 50 }).reply(200, page([], 2, 2));
    expect(await drainSource(source(), options({ seq: 2 }))).toMatchObject({ reset: false, pages: [{ cursor: 2 }] });
  });

  it('is not acknowledged when its rows are others', async () => {
    post({ limit: 50 }).reply(200, page([1, 2], 0, 2));
    const drained = await drainSource(source(), options({ seq: 2 }, { matches: () => false }));
    expect(drained).toMatchObject({ reset: true, pages: [{ cursor: 0 }] });
  });

  it('is looked at before a Stop acknowledges', async () => {
    post({ limit: 50 }).reply(200, page([1, 2], 0, 2));
    post({ since: Number.MAX_SAFE_INTEGER, ack: 2 }).reply(200, page([], 2, 2));
    expect(await acknowledgeOnly(source(), options({ seq: 2 }))).toBe(2);
  });
});

describe('client rules', () => {
  it('rule 40: never acknowledges above a window_high it received, whatever the goal says', async () => {
    post({ limit: 50 }).reply(200, page([1, 2], 0, 2));
    post({ ack: 2, limit: 50 }).reply(200, page([], 2, 2));
    await drainSource(source(), options({ seq: 900 }));
  });

  it('rule 41: sends the ack again until the goal is reached', async () => {
    for (const cursor of [200, 400, 450]) {
      post({ since: Number.MAX_SAFE_INTEGER, ack: 450 }).reply(200, page([], cursor, cursor));
    }
    expect(await acknowledge(source(), { seq: 450, epoch: 'e1' }, 0, signal())).toBe(450);
  });

  it('rule 41: stops when the cursor does not move', async () => {
    post({ since: Number.MAX_SAFE_INTEGER, ack: 450 }).reply(200, page([], 200, 200));
    post({ since: Number.MAX_SAFE_INTEGER, ack: 450 }).reply(200, page([], 200, 200));
    expect(await acknowledge(source(), { seq: 450, epoch: 'e1' }, 0, signal())).toBe(200);
  });

  it('rule 42: stops at a window that stands still while rows wait, keeping the first page', async () => {
    post({ limit: 50 }).reply(200, page([1], 0, 50, true));
    post({ since: 50, limit: 50 }).reply(200, page([], 0, 50, true));
    const { pages, error } = await drainSource(source(), options(undefined));
    expect([pages.length, error?.code]).toEqual([1, 'bad_reply']);
  });

  it('stops at a cursor that goes back', async () => {
    post({ limit: 50 }).reply(200, page([11], 10, 50, true));
    post({ since: 50, limit: 50 }).reply(200, page([51], 9, 60));
    const { pages, error } = await drainSource(source(), options(undefined));
    expect([pages.length, error?.code]).toEqual([1, 'bad_reply']);
  });
});

describe('answers that are none', () => {
  const code = (promise: Promise<Page>) =>
    promise.then(
      () => 'fine',
      error => (error as { code: string }).code,
    );

  it.each([
    ['HTML', '<html></html>'],
    ['nothing', ''],
    ['a list', '[]'],
    ['half of one', '{"items":[],"cursor":0,"window'],
    ['no cursor', JSON.stringify({ ...page([], 0, 0), cursor: undefined })],
    ['an unsafe cursor', '{"items":[],"cursor":9007199254740993,"window_high":0,"has_more":false}'],
    ['a fraction', JSON.stringify({ ...page([], 0, 0), window_high: 1.5 })],
    ['no list', JSON.stringify({ ...page([], 0, 0), items: {} })],
    ['has_more that is no boolean', JSON.stringify({ ...page([], 0, 0), has_more: 1 })],
    ['an item without a sequence', JSON.stringify({ ...page([], 0, 5), items: [{ diff: {} }] })],
    ['an item twice', JSON.stringify({ ...page([], 0, 5), items: [item(3), item(3)] })],
    ['an item above the window', JSON.stringify({ ...page([], 0, 5), items: [item(6)] })],
    ['an item at the floor', JSON.stringify({ ...page([], 5, 6), items: [item(5)] })],
  ])('%s', async (_, body) => {
    nock(ORIGIN).post(PATH).reply(200, body);
    expect(await code(source().pull({ limit: 50 }, signal()))).toBe('bad_reply');
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [302, 'bad_reply'],
    [404, 'bad_reply'],
    [429, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
  ])('HTTP %i is %s', async (status, wanted) => {
    nock(ORIGIN).post(PATH).reply(status, '{}', { location: 'http://elsewhere.test/' });
    expect(await code(source().pull({ limit: 50 }, signal()))).toBe(wanted);
  });

  it('a connection that breaks, and an answer that never comes', async () => {
    nock(ORIGIN)
      .post(PATH)
      .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    expect(await code(source().pull({ limit: 50 }, signal()))).toBe('unreachable');
    nock(ORIGIN)
      .post(PATH)
      .delay(3000)
      .reply(200, page([], 0, 0));
    expect(await code(source().pull({ limit: 50 }, AbortSignal.timeout(50)))).toBe('timeout');
    nock.abortPendingRequests();
  });

  it('halves the window while an answer is above 16 MB, down to one row', async () => {
    const huge = JSON.stringify({ ...page([], 0, 1), filler: 'x'.repeat(17 * 1024 * 1024) });
    for (const limit of [4, 2, 1]) post({ limit }).reply(200, huge);
    const one = source();
    expect(await code(one.pull({ limit: 4 }, signal()))).toBe('too_large');
    post({ limit: 1 }).reply(200, page([1], 0, 1));
    expect((await one.pull({ limit: 4 }, signal())).windowHigh).toBe(1);
  });

  it('more items than were asked for are a flood, not a page', async () => {
    nock(ORIGIN)
      .post(PATH)
      .reply(200, page([1, 2, 3], 0, 3));
    expect(await code(source().pull({ limit: 2 }, signal()))).toBe('bad_reply');
  });

  it.each([
    ['nested', '['.repeat(3_000_000)],
    ['flat', `{"items":[${'[],'.repeat(1_000_000)}[]]}`],
    ['behind a string with escapes', `{"a":"\\\\\\"[[[","b":${'['.repeat(1_000_000)}`],
  ])('a large answer of brackets is refused before it is parsed: %s', async (_, body) => {
    expect(isIntricate(body)).toBe(true);
    nock(ORIGIN).post(PATH).reply(200, body);
    expect(await code(source().pull({ limit: 50 }, signal()))).toBe('bad_reply');
  });

  it('a large answer of text is none of that, whatever brackets and escapes the text holds', () => {
    expect(isIntricate(JSON.stringify({ body: '[{"\\'.repeat(500_000) }))).toBe(false);
  });

  it('one faulty item is an unreadable one, and the others are fine', async () => {
    nock(ORIGIN)
      .post(PATH)
      .reply(200, { ...page([], 0, 3), items: [item(1), { delivery_seq: 2, diff: 7 }, item(3)] });
    const { deliveries } = await source().pull({ limit: 50 }, signal());
    expect(deliveries.map(row => row.unreadable !== undefined)).toEqual([false, true, false]);
  });

  it('takes camel case and int64 as text', async () => {
    const camel = {
      items: [
        { deliverySeq: '12', diff: { diffId: 'x', originAgentId: 'a', content: 'hi' }, delivery: { deliveryId: 'y' } },
      ],
      cursor: '11',
      windowHigh: '12',
      hasMore: false,
    };
    nock(ORIGIN).post(PATH).reply(200, camel);
    const got = await source().pull({ limit: 50 }, signal());
    expect(got).toMatchObject({
      cursor: 11,
      windowHigh: 12,
      deliveries: [{ seq: 12, id: 'y', senderId: 'a', body: 'hi' }],
    });
  });
});
