import { describe, expect, it } from 'vitest';
import { acknowledge, acknowledgeOnly, type DrainOptions, drainSource } from '../../../src/drain.ts';
import type { Page, PullRequest, Source } from '../../../src/sources/source.ts';

type Answer = Partial<Page> | Error;

/** A source that gives the answers in order and notes what it was asked. */
function scripted(answers: readonly Answer[]): { source: Source; asked: PullRequest[] } {
  const asked: PullRequest[] = [];
  const source: Source = {
    name: 's',
    origin: 'o',
    async pull(request) {
      const answer = answers[asked.length];
      asked.push(request);
      if (answer === undefined) throw new Error(`not expected: ${JSON.stringify(request)}`);
      if (answer instanceof Error) throw answer;
      const cursor = answer.cursor ?? 0;
      return {
        deliveries: [],
        floor: request.since ?? cursor,
        cursor,
        windowHigh: cursor,
        hasMore: false,
        epoch: 'e1',
        bytes: 0,
        ...answer,
      };
    },
  };
  return { source, asked };
}

const goal = { seq: 8, epoch: 'e1', row: { seq: 7, id: 'x' } };
const options = (more: Partial<DrainOptions> = {}): DrainOptions => ({
  limit: 5,
  goal,
  epoch: 'e1',
  matches: () => true,
  signal: new AbortController().signal,
  left: () => 1000,
  ...more,
});

describe('an ack that does not reach its goal', () => {
  it('because a row is kept back: the drain looks below the goal, and only there', async () => {
    const { source, asked } = scripted([
      { cursor: 3, windowHigh: 9, ack: 'applied' },
      { cursor: 3, ack: 'applied' },
      { cursor: 3, windowHigh: 9 },
    ]);
    const { pages, error } = await drainSource(source, options());
    expect(asked.map(request => request.since)).toEqual([8, Number.MAX_SAFE_INTEGER, undefined]);
    expect([pages.map(page => page.floor), error]).toEqual([[3], undefined]);
  });

  it.each([
    ['its next call fails', [new Error('reset')]],
    ['looking below the goal fails', [{ cursor: 3 }, new Error('reset')]],
    ['another store answers', [{ cursor: 3 }, { cursor: 0, epoch: 'e2' }]],
  ])('and %s: no page is left that a view could be made of', async (_, rest) => {
    const { source } = scripted([{ cursor: 3, windowHigh: 9, ack: 'applied' }, ...rest]);
    expect((await drainSource(source, options())).pages).toEqual([]);
  });

  it('and another store answers the second page: the same', async () => {
    const { source } = scripted([
      { cursor: 3, windowHigh: 9, hasMore: true, ack: 'applied' },
      { cursor: 3, windowHigh: 12, epoch: 'e2' },
    ]);
    expect((await drainSource(source, options())).pages).toEqual([]);
  });
});

it('a goal of several windows is reached with the pages above it kept', async () => {
  const { source, asked } = scripted([
    { cursor: 4, windowHigh: 9, hasMore: true, ack: 'applied' },
    { cursor: 6, windowHigh: 12, ack: 'applied' },
    { cursor: 8, ack: 'applied' },
  ]);
  const { pages } = await drainSource(source, options());
  expect(pages.map(page => [page.floor, page.windowHigh, page.cursor])).toEqual([
    [8, 9, 4],
    [9, 12, 8],
  ]);
  expect(asked.every(request => request.ack === goal)).toBe(true);
});

it('asks for no second page that two round trips like the first would not leave time for', async () => {
  let left = 1000;
  const { source, asked } = scripted([{ windowHigh: 5, hasMore: true }, { windowHigh: 9 }]);
  const slow: Source = {
    ...source,
    pull(request, signal) {
      left -= 400;
      return source.pull(request, signal);
    },
  };
  const { pages, error } = await drainSource(slow, options({ goal: undefined, left: () => left }));
  expect([asked.length, pages.length, error]).toEqual([1, 1, undefined]);
});

describe('bounds of one drain', () => {
  it('two pages', async () => {
    const { source, asked } = scripted([
      { windowHigh: 5, hasMore: true },
      { windowHigh: 10, hasMore: true },
    ]);
    expect((await drainSource(source, options({ goal: undefined }))).error).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('one page when it is half a megabyte', async () => {
    const { source, asked } = scripted([{ windowHigh: 5, hasMore: true, bytes: 512 * 1024 }]);
    expect((await drainSource(source, options({ goal: undefined }))).error).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('a few ack-only calls, however slowly the cursor moves', async () => {
    const { source, asked } = scripted(Array.from({ length: 50 }, (_, i) => ({ cursor: i + 1 })));
    expect(await acknowledge(source, { ...goal, seq: 40 }, 0, options().signal)).toBe(asked.length);
    expect(asked.length).toBeLessThanOrEqual(4);
  });
});

describe('a server without epochs', () => {
  const foreign = options({ goal: { seq: 8 }, epoch: null });

  it('whose cursor is already there gets no ack', async () => {
    const { source, asked } = scripted([{ cursor: 8, windowHigh: 9, epoch: undefined } as never]);
    expect((await drainSource(source, foreign)).error).toBeUndefined();
    expect(asked).toEqual([{ limit: 5 }]);
  });

  it('gets at Stop no ack above the window it shows (rule 40)', async () => {
    const { source, asked } = scripted([{ cursor: 1, windowHigh: 4, epoch: undefined }, { cursor: 4 }] as never);
    expect(await acknowledgeOnly(source, foreign)).toBe(4);
    expect(asked.map(request => request.ack)).toEqual([undefined, { seq: 4 }]);
  });

  it.each([
    ['that has epochs now', { epoch: 'e1' }, true],
    ['whose rows are others', { epoch: undefined }, false],
  ])('%s gets none at Stop', async (_, answer, matches) => {
    const { source, asked } = scripted([{ cursor: 1, windowHigh: 9, ...answer } as never]);
    expect(await acknowledgeOnly(source, { ...foreign, matches: () => matches })).toBeUndefined();
    expect(asked).toHaveLength(1);
  });
});

it('without a goal Stop asks nothing', async () => {
  const { source, asked } = scripted([]);
  expect(await acknowledgeOnly(source, options({ goal: undefined }))).toBeUndefined();
  expect(asked).toEqual([]);
});
