import { describe, expect, it } from 'vitest';
import { compileTrust, type TrustEntry, type TrustRules } from '../../../src/core/trust.ts';

const from = (sender: string, senderId = `id-${sender}`, origin = 'https://relay.test') => ({
  origin,
  sender,
  senderId,
});
const valid = (unknown: 'show' | 'withhold', ...entries: TrustEntry[]): TrustRules => ({
  state: 'valid',
  unknown,
  entries,
});
const decide = (rules: TrustRules, sender = from('alice')) => compileTrust(rules)(sender);

const SHOW = { decision: 'show', settled: false };
const WITHHOLD = { decision: 'withhold', settled: true };
const BLOCK = { decision: 'block', settled: true };

describe('compileTrust', () => {
  it('shows everybody without a trust file', () => expect(decide({ state: 'none' })).toEqual(SHOW));
  it('withholds everybody under an invalid one, and settles nothing', () =>
    expect(decide({ state: 'invalid' })).toEqual({ decision: 'withhold', settled: false }));
  it('shows who is listed', () =>
    expect(decide(valid('withhold', { handle: 'alice', decision: 'show' }))).toEqual(SHOW));
  it('withholds unknown senders under reject', () =>
    expect(decide(valid('withhold', { handle: 'carol', decision: 'show' }))).toEqual(WITHHOLD));
  it('shows unknown senders under allow', () => expect(decide(valid('show'))).toEqual(SHOW));
  it('lets a block win over a listing, in any order', () => {
    const entries: TrustEntry[] = [
      { handle: 'alice', decision: 'block' },
      { handle: 'alice', decision: 'show' },
    ];
    expect(decide(valid('show', ...entries))).toEqual(BLOCK);
    expect(decide(valid('show', ...entries.reverse()))).toEqual(BLOCK);
  });
  it('blocks by agent id whatever the handle says', () =>
    expect(decide(valid('show', { agentId: 'id-alice', decision: 'block' }), from('renamed', 'id-alice'))).toEqual(
      BLOCK,
    ));
  it('does not take a handle for a listing that names the agent id', () => {
    const rules = valid('withhold', { handle: 'alice', agentId: 'id-alice', decision: 'show' });
    expect(decide(rules)).toEqual(SHOW);
    expect(decide(rules, from('alice', 'id-mallory'))).toEqual(WITHHOLD);
  });
  it('keeps origins apart', () => {
    const rules = valid('withhold', { origin: 'https://relay.test', handle: 'alice', decision: 'show' });
    expect(decide(rules)).toEqual(SHOW);
    expect(decide(rules, from('alice', 'id-alice', 'https://other.test'))).toEqual(WITHHOLD);
  });
  it('is exact and case-sensitive', () =>
    expect(decide(valid('withhold', { handle: 'Alice', decision: 'show' }))).toEqual(WITHHOLD));
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'finds no list entry in the handle %s',
    handle => {
      expect(decide(valid('withhold', { handle: 'alice', decision: 'show' }), from(handle, ''))).toEqual(WITHHOLD);
      expect(decide(valid('withhold', { handle, decision: 'show' }), from(handle, ''))).toEqual(SHOW);
    },
  );
  it('matches no entry without a name', () => {
    expect(decide(valid('withhold', { decision: 'show' }), from('', ''))).toEqual(WITHHOLD);
    expect(decide(valid('show', { decision: 'block' }), from('', ''))).toEqual(SHOW);
  });
  it('does not mistake an id for a handle', () =>
    expect(decide(valid('withhold', { handle: 'id-mallory', decision: 'show' }), from('mallory'))).toEqual(WITHHOLD));
});
