import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compose } from '../../../src/core/compose.ts';
import { estimateTokens, utf8Length } from '../../../src/core/tokens.ts';
import type { ComposeInput } from '../../../src/core/types.ts';
import { parseBlock } from '../../helpers/block.ts';
import { cases } from '../../helpers/cases.ts';
import { composeInput } from './arbitrary.ts';

const numRuns = cases();
const all = (input: ComposeInput) => input.sources.flatMap(s => s.items.map(c => ({ source: s, ...c })));
const key = (source: string, seq: number) => `${source}/${seq}`;

it('the block never exceeds its caps, frame included', () => {
  fc.assert(
    fc.property(composeInput(), input => {
      const { block, tokens, bytes } = compose(input);
      if (block === null) return;
      expect(tokens).toBe(estimateTokens(block));
      expect(bytes).toBe(utf8Length(block));
      expect(tokens).toBeLessThanOrEqual(input.caps.tokens);
      expect(bytes).toBeLessThanOrEqual(input.caps.bytes);
      expect(block.length).toBeLessThanOrEqual(input.caps.utf16);
    }),
    { numRuns },
  );
});

it('no text in any field forges the frame, a sender or an item', () => {
  fc.assert(
    fc.property(composeInput(8), input => {
      const { block, shown, left } = compose(input);
      if (block === null) return;
      const parsed = parseBlock(block);
      expect(parsed.nonce).toBe(input.nonce);
      // The nonce stands in the frame alone, at its two ends.
      expect(block.split(`id="${input.nonce}"`)).toHaveLength(3);
      const many = input.sources.length > 1;
      const items = parsed.items.map(({ attributes: a }) => {
        const read = /^preturn read (\d+)(?: --source (\d+))?$/.exec(a.read ?? '');
        if (a.read !== undefined) expect(read?.[1]).toBe(a.seq);
        return {
          source: `s${Number(many ? (read?.[2] ?? a.source) : 1) - 1}`,
          seq: Number(a.seq),
          tier: a.tier ?? 'full',
          repeat: a.repeat === 'possible',
        };
      });
      expect(items).toEqual(
        shown.map(s => ({
          source: s.source,
          seq: s.seq,
          tier: s.tier,
          repeat: all(input).find(c => c.source.name === s.source && c.delivery.seq === s.seq)!.unproven > 0,
        })),
      );
      expect(left).toBe(all(input).length - shown.length);
    }),
    { numRuns },
  );
});

it('the block is well-formed, trimmed, no JSON, and survives JSON', () => {
  fc.assert(
    fc.property(composeInput(6), input => {
      const { block } = compose(input);
      if (block === null) return;
      expect(block).not.toMatch(/\p{Cs}|[\0-\x08\x0b-\x1f\x7f-\x9f]/u);
      expect(block).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0000}-\u{e007f}\ue000-\uf8ff]/u);
      expect(block.trim()).toBe(block);
      expect(block[0]).toBe('<');
      expect(JSON.parse(JSON.stringify(block))).toBe(block);
      expect(Buffer.from(block, 'utf8').toString('utf8')).toBe(block);
    }),
    { numRuns },
  );
});

it('something is shown whenever something waits; with room for all sources, the lowest item of each', () => {
  fc.assert(
    fc.property(composeInput(), input => {
      const { shown } = compose(input);
      const waiting = input.sources.filter(s => s.items.length > 0);
      if (waiting.length > 0) expect(shown.length).toBeGreaterThan(0);
      const keys = new Set(shown.map(s => key(s.source, s.seq)));
      const lowest = waiting.map(s => key(s.name, Math.min(...s.items.map(c => c.delivery.seq))));
      const reached = lowest.filter(k => keys.has(k)).length;
      // Five digests at their longest and the frame fit 900 tokens; below that, as many as do.
      const roomy = input.caps.tokens >= 900 && input.caps.bytes >= 4000 && input.caps.utf16 >= 4000;
      if (roomy) expect(reached).toBe(lowest.length);
      else if (waiting.length > 0) expect(reached).toBeGreaterThan(0);
    }),
    { numRuns },
  );
});

it('presentation is score-first, then by sequence, then by source', () => {
  fc.assert(
    fc.property(composeInput(), input => {
      const { shown } = compose(input);
      const score = (n: number) => (n > 0 ? Math.min(1, n) : 0);
      const ranks = shown.map(s => {
        const c = all(input).find(one => one.source.name === s.source && one.delivery.seq === s.seq)!;
        return [-score(c.delivery.score), s.seq, c.source.index];
      });
      const sorted = [...ranks].sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!);
      expect(ranks).toEqual(sorted);
    }),
    { numRuns },
  );
});

it('an item is never shown better than its history allows, and everything is shown once at most', () => {
  fc.assert(
    fc.property(composeInput(), input => {
      const { shown } = compose(input);
      expect(new Set(shown.map(s => key(s.source, s.seq))).size).toBe(shown.length);
      for (const s of shown) {
        const c = all(input).find(one => one.source.name === s.source && one.delivery.seq === s.seq)!;
        if (c.unproven >= 4) expect(s.tier).toBe('line');
        else if (c.unproven >= 2 || c.delivery.unreadable !== undefined) expect(s.tier).toBe('digest');
        else expect(s.tier).not.toBe('line');
      }
    }),
    { numRuns },
  );
});

it('is a function of its input', () => {
  fc.assert(
    fc.property(composeInput(6), input => {
      const before = JSON.stringify(input);
      expect(compose(input)).toEqual(compose(input));
      expect(JSON.stringify(input)).toBe(before);
    }),
    { numRuns },
  );
});

it('repeated turns, all proven, empty every inbox within as many turns as there are items', () => {
  fc.assert(
    fc.property(composeInput(12), input => {
      let rest = input.sources;
      const total = all(input).length;
      for (let turn = 0; turn < total; turn++) {
        const { shown, left } = compose({ ...input, sources: rest, now: input.now + turn * 60_000 });
        const keys = new Set(shown.map(s => key(s.source, s.seq)));
        rest = rest.map(s => ({ ...s, items: s.items.filter(c => !keys.has(key(s.name, c.delivery.seq))) }));
        if (left === 0) break;
      }
      expect(rest.every(s => s.items.length === 0)).toBe(true);
    }),
    { numRuns },
  );
});
