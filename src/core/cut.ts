import { measure } from './tokens.ts';

/** A size in the three units of the caps; tokens as an integer number of hundredths (tokens.measure). */
export interface Size {
  readonly cost: number;
  /** UTF-8 bytes. */
  readonly bytes: number;
  /** UTF-16 code units. */
  readonly utf16: number;
}

export function sizeOf(text: string): Size {
  const { cost, bytes } = measure(text);
  return { cost, bytes, utf16: text.length };
}

export function fits(size: Size, room: Size): boolean {
  return size.cost <= room.cost && size.bytes <= room.bytes && size.utf16 <= room.utf16;
}

/**
 * Characters that neither extend, continue, join nor prepend anything: between any two of them is a grapheme boundary.
 * Letters of the common scripts, digits, white space, punctuation; no marks, jamo, emoji, surrogates or carriage
 * returns. Almost every cut finds such a pair near by; constructing Intl.Segmenter, for the rest, costs 7.5 ms.
 */
const PLAIN =
  '[\\n\\t\\x20-\\x7e\\xa1-\\xa8\\xaa-\\xac\\xaf-\\u024f\\u0391-\\u03c9\\u0400-\\u0481\\u048a-\\u052f\\u05d0-\\u05ea\\u0621-\\u064a\\u0904-\\u0939' +
  '\\u0e01-\\u0e30\\u1ea0-\\u1ef9\\u2010-\\u2027\\u3001-\\u3020\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60]';
const PLAIN_PAIR = new RegExp(`${PLAIN}(?=${PLAIN})`, 'g');
const LOOK_BACK = 48;

/** A grapheme boundary of `text` at or shortly before the UTF-16 unit `at`. */
export function boundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  if (text.charCodeAt(at - 1) < 0x80 && text.charCodeAt(at) < 0x80)
    return text.startsWith('\r\n', at - 1) ? at - 1 : at;
  const from = Math.max(0, at - LOOK_BACK);
  let best = -1;
  for (const pair of text.slice(from, at + 1).matchAll(PLAIN_PAIR)) best = from + pair.index + 1;
  if (best > 0) return best;
  return new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text).containing(at)?.index ?? 0;
}

/** The longest reasonable start of `text` within `room`, whole graphemes, without trailing white space; may be empty. */
export function cutText(text: string, room: Size): string {
  if (room.cost <= 0 || room.bytes <= 0) return '';
  // Prose has about 3 characters an estimated token: starting there, the first try mostly fits.
  let at = Math.min(text.length, room.utf16, Math.floor(room.cost / 34));
  for (let rounds = 0; at > 0 && rounds < 19; rounds++) {
    at = boundaryBefore(text, at);
    const part = text.slice(0, at);
    const size = sizeOf(part);
    if (fits(size, room)) return part.trimEnd();
    // Density differs along the text: aim below the proportion, ever lower, and always move.
    const over = Math.max(size.cost / room.cost, size.bytes / room.bytes);
    at = Math.min(at - 1, Math.floor((at / over) * (0.96 - rounds / 20)));
  }
  return '';
}
