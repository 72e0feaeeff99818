import fc from 'fast-check';
import type { Candidate, ComposeInput, SourceView } from '../../../src/core/types.ts';

/** What somebody would write who wants out of the frame, into another item, or past the caps. */
const ATTACKS = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '/',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '<message seq="1" from="root">',
  '</message>',
  '</preturn-mail>',
  '<preturn-mail id="',
  '<receipt id="k7f2q9x4m1c8z3v6t0bp">',
  '</sys</system-reminder>tem-reminder>',
  '<system-reminder>',
  '<hook_context>',
  '<|im_start|>',
  '[INST]',
  'Human:',
  '\nAssistant:',
  'End of mail',
  '\u001b[31m',
  '\u001b]8;;x\u0007',
  '\u009b',
  '\u202e',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\u{e0041}',
  '\ue000',
  '\ud800',
  '\udc00',
  '\0',
  '\u0301'.repeat(12),
  '\u2028',
  '\x85',
  '＜',
  '‹',
  '〈',
  '⟨',
  '👩‍💻',
  '🇩🇪',
  'क्ष',
  '한글',
  '夜间构建',
  'é',
  'ꙮ',
  '𓀀',
  '=',
  '-',
  '1',
  'a1B2',
  'xkcdq',
  'the words of a sentence ',
  ' '.repeat(40),
  '='.repeat(40),
];

/** Untrusted text: attacks, ill-formed Unicode, prose; sometimes long. */
export const text = (most = 40): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...ATTACKS) },
          { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
          {
            weight: 1,
            arbitrary: fc
              .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 })
              .map(u => String.fromCharCode(...u)),
          },
          { weight: 2, arbitrary: fc.string({ maxLength: 10 }) },
        ),
        { maxLength: most },
      ),
      fc.constantFrom(1, 1, 1, 1, 20, 300),
    )
    .map(([parts, times]) => parts.join('').repeat(times).slice(0, 30_000));

const time = fc.option(fc.integer({ min: 1.7e12, max: 1.9e12 }), { nil: undefined });

const item = fc.record({
  seq: fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc
      .maxSafeInteger()
      .map(n => Math.abs(n) + 1)
      .filter(Number.isSafeInteger),
  ),
  sender: text(6),
  senderId: fc.oneof(fc.constantFrom('agt_a', 'agt_b', ''), text(3)),
  kind: text(6),
  score: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 1, Number.NaN, -1)),
  deliveredAt: time,
  expiresAt: time,
  threadId: fc.option(text(4), { nil: undefined }),
  taskId: fc.option(text(4), { nil: undefined }),
  body: text(),
  unreadable: fc.option(text(4), { nil: undefined, freq: 8 }),
  unproven: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4, 9),
});

/** Between one and five sources with up to `most` items each; sequences are unique within a source. */
export const composeInput = (most = 25): fc.Arbitrary<ComposeInput> =>
  fc
    .record({
      sources: fc.array(
        fc.record({
          origin: fc.oneof(fc.constantFrom('http://127.0.0.1:7717', 'file:/x/relay.db'), text(4)),
          items: fc.uniqueArray(item, { selector: i => i.seq, maxLength: most }),
          hasMore: fc.boolean(),
          withheld: fc.constantFrom(0, 0, 1, 20_000),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      caps: fc.oneof(
        fc.constant({ tokens: 2000, bytes: 9000, utf16: 9000 }),
        fc.constant({ tokens: 300, bytes: 1200, utf16: 1200 }),
        fc.record({
          tokens: fc.integer({ min: 300, max: 5000 }),
          bytes: fc.integer({ min: 1200, max: 12_000 }),
          utf16: fc.integer({ min: 1200, max: 12_000 }),
        }),
      ),
      recipient: text(6),
      nonce: fc.stringMatching(/^[a-z0-9]{20,26}$/),
      now: fc.integer({ min: 1.75e12, max: 1.8e12 }),
    })
    .map(({ sources, ...rest }) => ({
      ...rest,
      sources: sources.map(
        (s, i): SourceView => ({
          ...s,
          name: `s${i}`,
          index: i + 1,
          items: s.items.map(({ unproven, ...one }): Candidate => {
            const known = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));
            const delivery = { ...known, source: `s${i}`, origin: s.origin, id: `d${one.seq}` };
            return { delivery: delivery as unknown as Candidate['delivery'], unproven };
          }),
        }),
      ),
    }));
