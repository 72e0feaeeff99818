import { relayFailures } from '../messages-relay.ts';

/**
 * Text as the store keeps it: lone surrogates become U+FFFD (SQLite would do the same unasked, and the copy inside an
 * item's JSON would then differ), NUL is refused. Throws `bad_input`.
 */
export function storable(text: string): string {
  if (text.includes('\0')) throw relayFailures.nulInText();
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
