/**
 * Token estimate without a vocabulary: how often a dozen kinds of run occur in a text, weighed. The weights are fitted
 * by test/fixtures/tokens/fit.ts on real o200k counts, so that the estimate does not under-count, and carry a margin of
 * 1.15. The tokenizers of current Claude models are not public: for them a cap in tokens is an estimate, and the caps
 * in bytes and UTF-16 units are what holds. Known to come out too low: rows of rare Chinese characters (0.3 × real).
 *
 * One loop without allocation over what is measured (8 to 12 KB a turn). Tried and rejected, cold, for 100 items of
 * 1 KB: a loop over the matches of one expression 10 ms, ten expressions that only count 5 ms, most of it garbage;
 * a real vocabulary costs 8 to 34 × bare node.
 *
 * Costs are integers (hundredths of a token), and no run reaches across a line feed into a visible character: the costs
 * of parts that begin with visible ASCII and end with a line feed add up exactly, so packing never measures a block.
 */

/** Weights of runs that occur in every text, as fit.ts prints them. */
const RUNS: readonly number[] = [
  106, // 0 words of Latin letters, split where the case rises, as o200k does
  137, // 1 every 6 small letters in a row: long words
  76, // 2 every 3 capitals in a row
  181, // 3 every 4 small consonants in a row: random letters, not language
  92, // 4 groups of up to three digits
  102, // 5 rows of digits
  115, // 6 rows of digits behind a space: o200k never takes a space into a number
  63, // 7 rows of punctuation
  18, // 8 every 2 punctuation characters in a row
  133, // 9 white space other than one single space, again every 16 characters
];

/**
 * Blocks of UTF-16 units beyond ASCII: first and last unit, then the weight of a run and of each unit in it. What is in
 * none belongs to the last but two; pairs of surrogates are the last two, emoji and the rest, a pair counting once.
 */
const BLOCKS: readonly (readonly [first: number, last: number, run: number, unit: number])[] = [
  [0x80, 0xbf, 18, 18], // Latin-1 signs
  [0xc0, 0xff, 18, 18], // accents, on top of the words above
  [0x1e00, 0x1eff, 18, 18], // Vietnamese
  [0x100, 0x24f, 18, 106], // Latin Extended-A and -B
  [0x2000, 0x20cf, 18, 18], // typographic signs
  [0x3400, 0x9fff, 94, 52], // Chinese characters
  [0x3040, 0x30ff, 167, 34], // Kana
  [0xac00, 0xd7af, 18, 84], // Hangul
  [0x3000, 0x303f, 18, 18], // East Asian punctuation
  [0xff00, 0xffef, 469, 59], // full-width forms
  [0x400, 0x52f, 18, 30], // Cyrillic
  [0x370, 0x3ff, 23, 46], // Greek
  [0x600, 0x77f, 18, 40], // Arabic
  [0x590, 0x5ff, 18, 50], // Hebrew
  [0x900, 0xdff, 46, 72], // Indic
  [0xe00, 0xe7f, 287, 58], // Thai
  [0x300, 0x36f, 439, 18], // marks
  [0xfe00, 0xfe0f, 18, 18], // variation selectors
  [0x2500, 0x257f, 18, 18], // frames of tables
  [0x20d0, 0x2bff, 18, 344], // arrows, mathematics, dingbats
  [1, 0, 270, 217], // everything else
  [1, 0, 18, 188], // emoji
  [1, 0, 792, 311], // other pairs
];

/** RUNS, then run and unit of each of BLOCKS. */
export const WEIGHTS: readonly number[] = [...RUNS, ...BLOCKS.flatMap(([, , run, unit]) => [run, unit])];

// Kinds of character that runs are made of. Vowels and consonants are small letters.
const [SPACE, OTHER_SPACE, PUNCT, DIGIT, CAPITAL, VOWEL, CONSONANT] = [0, 1, 2, 3, 4, 5, 6];
const KIND = new Uint8Array(128).fill(PUNCT);
KIND.fill(DIGIT, 48, 58).fill(CAPITAL, 65, 91).fill(CONSONANT, 97, 123);
for (const c of [97, 101, 105, 111, 117, 121]) KIND[c] = VOWEL;
KIND.fill(OTHER_SPACE, 9, 14)[32] = SPACE;

const OTHER = BLOCKS.length - 3;
const EMOJI = OTHER + 1;
const ASTRAL = OTHER + 2;
/** Index into BLOCKS by UTF-16 unit ÷ 16: every block begins and ends on such a step. */
const BLOCK = new Uint8Array(4096).fill(OTHER);
for (let k = 0; k < OTHER; k++) {
  const [first, last] = BLOCKS[k] as (typeof BLOCKS)[number];
  BLOCK.fill(k, first >> 4, (last >> 4) + 1);
}

/**
 * Estimated cost of `text` in hundredths of a token, an integer that adds up over parts (see above), and its length in
 * UTF-8 bytes, where a lone surrogate counts as the three bytes of U+FFFD. Other `weights` than WEIGHTS: for fit.ts.
 */
export function measure(text: string, weights = WEIGHTS): { readonly cost: number; readonly bytes: number } {
  const w = weights as number[];
  const { length } = text;
  let cost = 0;
  let bytes = length;
  let before = PUNCT + 9; // kind of the character before; none yet
  let block = -1; // block of the character before
  let run = 0; // length of the present run of small letters, capitals, digits, punctuation or white space
  let consonants = 0;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    let kind: number;
    if (c < 128) {
      kind = KIND[c] as number;
      block = -1;
    } else {
      let k = BLOCK[c >> 4] as number;
      bytes += c < 0x800 ? 1 : 2;
      if (c >> 10 === 0x36 && text.charCodeAt(i + 1) >> 10 === 0x37) {
        k = c > 0xd83b && c < 0xd83f ? EMOJI : ASTRAL;
        i++;
      }
      if (k !== block) cost += w[10 + 2 * k]!;
      cost += w[11 + 2 * k]!;
      block = k;
      // The second to fourth blocks are letters like those of ASCII; nothing else makes runs.
      kind = k < 1 || k > 3 ? 9 : c > 0xbf && c < 0xdf ? CAPITAL : VOWEL;
    }
    if (kind >= VOWEL) {
      if (before < VOWEL || before > CONSONANT) {
        if (kind < 9 && (before !== CAPITAL || run > 1)) cost += w[0]!;
        run = 0;
        consonants = 0;
      }
      if (kind !== 9 && ++run % 6 === 0) cost += w[1]!;
      if (kind !== CONSONANT) consonants = 0;
      else if (++consonants % 4 === 0) cost += w[3]!;
    } else {
      const same = kind === before || (kind < PUNCT && before < PUNCT);
      run = same ? run + 1 : 1;
      if (kind === PUNCT) {
        if (!same) cost += w[7]!;
        else if (run % 2 === 0) cost += w[8]!;
      } else if (kind < PUNCT) {
        if (run === 1 ? kind === OTHER_SPACE : run === 2 ? before === SPACE : run % 16 === 0) cost += w[9]!;
      } else if (kind === DIGIT) {
        if (run % 3 === 1) cost += w[4]!;
        if (!same) cost += w[5]! + (before === SPACE ? w[6]! : 0);
      } else {
        if (!same) cost += w[0]!;
        if (run % 3 === 0) cost += w[2]!;
      }
    }
    before = kind;
  }
  return { cost, bytes };
}

/** Estimated model tokens of `text`: an integer, never above its UTF-8 bytes (no byte-level vocabulary needs more). */
export function estimateTokens(text: string): number {
  const { cost, bytes } = measure(text);
  return Math.min(Math.ceil(cost / 100), bytes);
}

/** Length of `text` in UTF-8 bytes; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  return measure(text).bytes;
}
