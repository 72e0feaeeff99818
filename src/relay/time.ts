import { relayFailures } from '../messages-relay.ts';

/** Epoch microseconds as RFC 3339 UTC with all six digits; they order as text as they do as numbers. */
export function microTime(us: number): string {
  const ms = Math.floor(us / 1000);
  const micros = String(us - ms * 1000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${micros}Z`;
}

/** Epoch milliseconds as RFC 3339 UTC with seconds precision, as AIS shows times. */
export function secondTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Epoch microseconds of an RFC 3339 timestamp with any offset; digits beyond the sixth are cut, so that a time
 * never lands above itself. Throws `bad_input` for anything else, zone-less times and impossible dates included.
 */
export function parseMicroTime(text: string): number {
  const match = RFC3339.exec(text);
  if (match === null) throw notATime(text);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  // A leap second counts as the last moment of its minute would: it must not be refused.
  const leap = second === 60;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, leap ? 59 : second, 0);
  const impossible =
    date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 60;
  if (impossible || offsetHours > 23 || offsetMinutes > 59) throw notATime(text);
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  const micros = leap ? 999_999 : Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  const us = (date.getTime() - offset) * 1000 + micros;
  // Beyond the year 2255 microseconds are no longer exact; as a bound for real rows the edge means the same.
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, us));
}

function notATime(text: string) {
  return relayFailures.badInput(
    `${JSON.stringify(text.slice(0, 64))} is not an RFC 3339 time.`,
    'Write it like 2026-06-27T00:00:00Z, with Z or a numeric offset.',
  );
}
