import { describe, expect, it } from 'vitest';
import { Item, span } from '../../../src/core/item.ts';
import type { Candidate } from '../../../src/core/types.ts';
import { candidate, NOW, view } from './make.ts';

const caps = { cost: 200_000, bytes: 9000, utf16: 9000 };
const item = (one: Candidate, manySources = false) =>
  new Item({ source: view({ index: manySources ? 2 : 1 }), candidate: one }, { now: NOW, manySources, caps });
const long = 'The base delay doubles up to thirty seconds. '.repeat(200);

describe('full', () => {
  it('holds the attributes and the whole body', () => {
    const one = candidate({
      kind: 'task',
      score: 0.755,
      threadId: 't-1',
      taskId: 'BILL-9',
      expiresAt: NOW + 3 * 3_600_000,
    });
    expect(item(one).full(caps)?.text).toBe(
      '<message seq="41" from="alice" kind="task" score="0.76" age="5m" expires="in 3h" thread="t-1" task="BILL-9">\n' +
        'All tests pass again.\n</message>\n',
    );
  });
  it('names the source when there are several', () =>
    expect(item(candidate(), true).full(caps)?.text).toContain(' age="5m" source="2">'));
  it('falls back to the agent id, then says unknown', () => {
    expect(item(candidate({ sender: '' })).full(caps)?.text).toContain('from="agt_alice"');
    expect(item(candidate({ sender: '', senderId: '' })).full(caps)?.text).toContain('from="unknown"');
  });
  it('leaves out the age when the server gives no time, and says when a re-read no longer works', () => {
    const { deliveredAt: _, ...timeless } = candidate().delivery;
    const text = item({ delivery: { ...timeless, expiresAt: NOW - 1 }, unproven: 0 }).full(caps)?.text;
    expect(text).not.toContain('age=');
    expect(text).toContain('expires="past"');
  });
  it('is not to be had where the body does not fit', () =>
    expect(item(candidate({ body: long })).full(caps)).toBeUndefined());
});

describe('excerpt', () => {
  it('cuts the body and names the command for the rest', () => {
    const text = item(candidate({ body: long })).excerpt({ cost: 30_000, bytes: 2000, utf16: 2000 })!.text;
    expect(text).toContain(` tier="excerpt" chars="${long.length}" read="preturn read 41">\nThe base delay`);
    expect(text.endsWith('…\n</message>\n')).toBe(true);
  });
  it('is not worth it where little fits', () =>
    expect(item(candidate({ body: long })).excerpt({ cost: 9000, bytes: 2000, utf16: 2000 })).toBeUndefined());
  it('is nothing when nothing of the start can be seen', () =>
    expect(item(candidate({ body: '\u200b'.repeat(30_000) })).excerpt(caps)).toBeUndefined());
});

describe('least', () => {
  it('is a digest with the first words and the command', () =>
    expect(item(candidate({ body: 'First line.\nSecond line.' })).least(caps)?.text).toBe(
      '<message seq="41" from="alice" kind="update" score="0.40" age="5m" tier="digest" chars="24" ' +
        'read="preturn read 41">First line. Second line.</message>\n',
    ));
  it('names the source in the command when there are several', () =>
    expect(item(candidate(), true).least(caps)?.text).toContain('read="preturn read 41 --source 2"'));
  it('shortens the words before it gives up', () => {
    const whole = item(candidate({ body: long })).least(caps)!;
    const tight = item(candidate({ body: long })).least({ ...whole.size, cost: whole.size.cost - 800 })!;
    expect(tight.text.length).toBeLessThan(whole.text.length);
    expect(item(candidate({ body: long })).least({ ...whole.size, cost: 3000 })).toBeUndefined();
  });
  it('says why an item is unreadable, and that its kind is', () => {
    const text = item(candidate({ unreadable: 'no diff <x>', body: '' })).least(caps)?.text;
    expect(text).toContain('kind="unreadable"');
    expect(text).toContain('>unreadable: no diff &lt;x&gt;</message>');
  });
});

describe('what an unproven history allows', () => {
  it.each([
    [0, 'full', false],
    [1, 'full', true],
    [2, 'digest', true],
    [3, 'digest', true],
    [4, 'line', true],
  ] as const)('%i showings without proof → %s', (unproven, tier, repeat) => {
    const one = item(candidate({ unproven }));
    const best = one.full(caps) ?? one.excerpt(caps) ?? one.least(caps)!;
    expect(one.ceiling).toBe(tier);
    expect(best.tier).toBe(tier);
    expect(best.text.includes(' repeat="possible"')).toBe(repeat);
  });
  it('a line holds the sequence and the command alone', () =>
    expect(item(candidate({ unproven: 9, sender: 'mallory' })).least(caps)?.text).toBe(
      '<message seq="41" repeat="possible" tier="line" read="preturn read 41"/>\n',
    ));
  it('an unreadable item is a digest at most', () =>
    expect(item(candidate({ unreadable: 'x' })).ceiling).toBe('digest'));
});

it.each([
  [-5000, '0s'],
  [59_999, '59s'],
  [300_000, '5m'],
  [7_200_000, '2h'],
  [432_000_000, '5d'],
  [1e15, '999d'],
])('span(%i ms) is %s', (ms, text) => expect(span(ms)).toBe(text));
