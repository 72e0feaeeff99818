import { describe, expect, it } from 'vitest';
import { toPage } from '../../../src/sources/hyphae/wire.ts';
import type { PullRequest } from '../../../src/sources/source.ts';

const page = (body: object, request: PullRequest = {}) =>
  toPage(
    { items: [], cursor: 0, window_high: 9, has_more: false, ...body },
    7,
    { source: 's', origin: 'o', request },
    {},
  );
const why = (body: object, request?: PullRequest) => {
  try {
    page(body, request);
    return 'fine';
  } catch (error) {
    return (error as Error).message;
  }
};
/** One item as the only one of its page. */
const one = (item: object) => page({ items: [{ delivery_seq: 1, ...item }] }).deliveries[0]!;

describe('an item', () => {
  it('is mapped field by field', () => {
    const item = one({
      diff: {
        diff_id: 'diff',
        origin_agent_id: 'ag_alice',
        content: 'text',
        tags: ['note'],
        metadata: {
          kind: 'task',
          from_handle: 'alice',
          thread_id: 't',
          task_id: 'k',
          expires_at: '2026-12-01T00:00:01.5Z',
        },
      },
      delivery: { delivery_id: 'row', score: 0.5, delivered_at: '2026-12-01T01:00:00+01:00' },
    });
    const time = Date.UTC(2026, 11, 1);
    expect(item).toEqual({
      source: 's',
      origin: 'o',
      seq: 1,
      id: 'row',
      senderId: 'ag_alice',
      sender: 'alice',
      kind: 'task',
      score: 0.5,
      body: 'text',
      deliveredAt: time,
      expiresAt: time + 1500,
      threadId: 't',
      taskId: 'k',
    });
  });

  it.each([
    ['its delivery id', { delivery: { delivery_id: 'row' }, diff: { diff_id: 'diff', content: '' } }, 'row'],
    ['else its diff id', { delivery: {}, diff: { diff_id: 'diff', content: '' } }, 'diff'],
    ['in camel case', { delivery: { deliveryId: 'row' }, diff: { content: '' } }, 'row'],
    ['an empty one is none', { delivery: { delivery_id: '' }, diff: { diff_id: 'diff', content: '' } }, 'diff'],
  ])('goes by %s', (_, item, id) => {
    expect(one(item).id).toBe(id);
  });

  it('without any id goes by its bytes', () => {
    const [a, again, b] = [{ content: 'x' }, { content: 'x' }, { content: 'y' }].map(diff => one({ diff }).id);
    expect(a).toBe(again);
    expect(a).not.toBe(b);
  });

  it.each([
    [2, 1],
    [-1, 0],
    ['0.5', 0],
    [null, 0],
    [undefined, 0],
  ])('score %j counts as %d', (score, wanted) => {
    expect(one({ diff: { content: '' }, delivery: { score } }).score).toBe(wanted);
  });

  it('takes its kind from its metadata, else its first tag, else it is a diff; and its sender’s id for a handle', () => {
    const kind = (diff: object) => one({ diff: { content: '', ...diff } }).kind;
    expect([
      kind({ metadata: { kind: 'ack' }, tags: ['x'] }),
      kind({ tags: ['x'] }),
      kind({ tags: [7] }),
      kind({}),
    ]).toEqual(['ack', 'x', 'diff', 'diff']);
    expect(one({ diff: { content: '', origin_agent_id: 'ag_1' } })).toMatchObject({ senderId: 'ag_1', sender: 'ag_1' });
  });

  it('has no time where the server’s does not parse', () => {
    const item = one({ diff: { content: '' }, delivery: { delivered_at: 'yesterday' } });
    expect('deliveredAt' in item).toBe(false);
  });

  it.each([
    ['no diff', {}],
    ['a diff that is a list', { diff: [] }],
    ['no content', { diff: { diff_id: 'd' } }],
    ['content that is no text', { diff: { content: { html: 'x' } } }],
  ])('with %s is unreadable, and still has its sequence and an id', (_, item) => {
    expect(one(item)).toMatchObject({ seq: 1, body: '', unreadable: 'it carries no text', id: expect.any(String) });
  });
});

describe('an envelope', () => {
  it('takes both spellings of int64 and both casings', () => {
    const body = { cursor: '3', window_high: undefined, windowHigh: '0009', has_more: undefined, hasMore: true };
    expect(page(body)).toMatchObject({ cursor: 3, windowHigh: 9, hasMore: true, floor: 3, bytes: 7 });
  });

  it('says where its window began: at `since`, else at the cursor', () => {
    expect(page({ cursor: 4 }).floor).toBe(4);
    expect(page({ cursor: 4 }, { since: 2 }).floor).toBe(2);
  });

  it.each([
    ['cursor', { cursor: 2 ** 53 }],
    ['cursor', { cursor: -1 }],
    ['cursor', { cursor: '1e3' }],
    ['cursor', { cursor: '9007199254740993' }],
    ['cursor', { cursor: true }],
    ['window_high', { window_high: 1.5 }],
    ['window_high', { window_high: '' }],
    ['has_more', { has_more: 'false' }],
    ['items', { items: null }],
    ['an item has no sequence', { items: [{ delivery_seq: '1.0' }] }],
    ['an item has no sequence', { items: [7] }],
    ['comes twice', { items: [{ delivery_seq: 2 }, { deliverySeq: '2' }] }],
    ['outside its window', { items: [{ delivery_seq: 10 }] }],
    ['outside its window', { items: [{ delivery_seq: 0 }] }],
  ])('is refused whole for its %s: %j', (words, body) => {
    expect(why(body)).toContain(words);
  });

  it('is refused when an item lies at or below what was asked for', () => {
    expect(why({ items: [{ delivery_seq: 5 }] }, { since: 5 })).toContain('outside its window');
    expect(why({ items: [{ delivery_seq: 6 }] }, { since: 5 })).toBe('fine');
  });
});
