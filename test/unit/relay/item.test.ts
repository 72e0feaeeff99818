import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemJson, placeOf } from '../../../src/relay/item.ts';

it('sequence and score are read out of the text exactly, whatever the message says', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(',"score":9', '"},"delivery":{"score":9', '\\",\\"score\\":9', '{"delivery_seq":9,', '\n', '\\n'),
    fc
      .array(fc.constantFrom('"', '\\', ',', 'score', ':', '9', '\n', '}'), { maxLength: 12 })
      .map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 1e-7, 5e-324)),
      fc.record({ content: text, kind: text, handle: text, tag: text, scope: text, more: text }),
      (seq, score, t) => {
        const item = itemJson(
          {
            from: { agentId: 'a', handle: t.handle },
            kind: t.kind,
            content: t.content,
            score,
            scope: t.scope,
            tags: [t.tag],
            createdAt: 0,
            metadata: { more: t.more, [t.more]: t.tag },
          },
          { seq, deliveryId: 'd', recipient: 'r', deliveredUs: 0 },
        );
        expect(placeOf(item)).toEqual({ seq, score: score === 0 ? 0 : score });
        expect(item).not.toContain('\n');
      },
    ),
    { numRuns: 2000 },
  );
});
