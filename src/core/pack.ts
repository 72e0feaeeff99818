import { type Size, sizeOf } from './cut.ts';
import { Item, type Piece } from './item.ts';
import { byRank, type Entry } from './rank.ts';
import { type Head, type Rest, renderHead, renderTail } from './render.ts';
import type { Caps, ComposeInput, SourceView } from './types.ts';

/**
 * The smallest caps that hold the frame and one digest whatever a peer writes, with a nonce of up to 26 characters: a
 * test renders the worst of every field. The configuration's lower bounds are the same.
 */
export const MIN_CAPS: Caps = { tokens: 300, bytes: 1200, utf16: 1200 };

/** Whether caps can hold the frame and one digest: for the validation of a configuration. */
export function capsHold(caps: Caps): boolean {
  return caps.tokens >= MIN_CAPS.tokens && caps.bytes >= MIN_CAPS.bytes && caps.utf16 >= MIN_CAPS.utf16;
}

/** Part of each cap that the floor lane may use beyond the lowest item of every source. */
const FLOOR_SHARE = 0.35;
/** A digest that had to be cut shorter than this says too little, characters: the item waits for its next turn. */
const FEWEST_WORDS = 24;
/** Part of each cap that one excerpt may use, so that a single long message does not crowd out the others. */
const EXCERPT_SHARE = 0.25;
/** Items that expire within this many ms go first in the floor lane: after it a pointer leads nowhere. */
const SOON_MS = 30 * 60_000;

export interface Packed {
  /** Entries with the piece that shows them, score-first. */
  readonly picks: readonly (readonly [Entry, Piece])[];
  readonly head: string;
  readonly tail: string;
  /** Size of the block that head, pieces and tail make up. */
  readonly size: Size;
  /** Candidates that found no room. */
  readonly left: number;
}

/** Fills the two lanes (design: What is shown). `capsHold(input.caps)` is the caller's to check. */
export function pack(input: ComposeInput): Packed {
  const sources = input.sources.filter(s => s.items.length > 0);
  const total = sources.reduce((n, s) => n + s.items.length, 0);
  const caps: Size = { cost: input.caps.tokens * 100, bytes: input.caps.bytes, utf16: input.caps.utf16 };
  const context = {
    now: input.now,
    caps,
    // A lone source may be one of several that are configured: only the first may go unnamed in a command.
    manySources: input.sources.length > 1 || input.sources.some(s => s.index > 1),
  };
  const head = (shown: number, senders: number): Head => ({
    nonce: input.nonce,
    caps,
    recipient: input.recipient,
    from: sources.length === 1 ? (sources[0] as SourceView).origin : sources.length,
    shown,
    senders,
  });
  const rest = (left: number): Rest => ({
    left,
    more: input.sources.some(s => s.hasMore),
    withheld: input.sources.reduce((n, s) => n + s.withheld, 0),
  });
  // Reserved at their longest: with every item both shown and left. Fewer digits never cost more.
  let room = minus(minus(caps, sizeOf(renderHead(head(total, total)))), sizeOf(renderTail(input.nonce, rest(total))));

  const picks = new Map<Entry, Piece>();
  const items = new Map<Entry, Item>();
  const item = (entry: Entry): Item => {
    const known = items.get(entry) ?? new Item(entry, context);
    items.set(entry, known);
    return known;
  };
  const put = (entry: Entry, piece: Piece) => {
    const before = picks.get(entry);
    room = minus(before ? plus(room, before.size) : room, piece.size);
    picks.set(entry, piece);
  };

  const { lowest, others, all } = floorQueue(sources, input.now);
  let lane = share(caps, FLOOR_SHARE);
  const admit = (entry: Entry, limit: Size, words: number): boolean => {
    const digest = item(entry).least(least(room, limit), words);
    if (digest === undefined) return false;
    lane = minus(lane, digest.size);
    put(entry, digest);
    return true;
  };
  // The lowest of a source keeps its cursor: it is shown even where there is room for its pointer only.
  for (const entry of lowest) if (!admit(entry, room, 0)) break;
  for (const entry of others) if (!admit(entry, lane, FEWEST_WORDS)) break;

  const ranked = all.sort(byRank);
  let open = true;
  for (const entry of ranked) {
    const before = picks.get(entry);
    if (before === undefined && !open) continue;
    const space = before ? plus(room, before.size) : room;
    const better = item(entry).full(space) ?? item(entry).excerpt(least(space, share(caps, EXCERPT_SHARE)));
    if (better !== undefined) put(entry, better);
    else if (before === undefined) {
      const digest = item(entry).least(room, FEWEST_WORDS);
      // From here on only upgrades: a lower score must not slip in where a higher one found no room.
      if (digest === undefined) open = false;
      else put(entry, digest);
    }
  }

  const shown = ranked.flatMap(entry => {
    const piece = picks.get(entry);
    return piece ? [[entry, piece] as const] : [];
  });
  const senders = new Set(shown.map(([e]) => senderKey(e)));
  const left = total - shown.length;
  const ends = [renderHead(head(shown.length, senders.size)), renderTail(input.nonce, rest(left))] as const;
  const size = shown.reduce((sum, [, piece]) => plus(sum, piece.size), plus(sizeOf(ends[0]), sizeOf(ends[1])));
  return { picks: shown, head: ends[0], tail: ends[1], size, left };
}

const senderKey = ({ source, candidate: { delivery } }: Entry) =>
  `${source.index}:${delivery.senderId || delivery.sender}`;

/**
 * Order of the floor lane. First the lowest item of each source; where there are more sources than room, the first
 * source differs from turn to turn by a hash of `now`: a rotation by the items' own times would let a server with a
 * slow clock go first for ever, and a plain modulus of the time could keep step with a job that runs every minute.
 * Then what expires soon, soonest first. Then in sequence order, sources taking turns, and within a source every sender
 * once before any sender twice: a flood of one sender cannot keep the others waiting.
 */
function floorQueue(sources: readonly SourceView[], now: number) {
  const start = mix(now) % Math.max(1, sources.length);
  const all: Entry[] = [];
  const lowest: Entry[] = [];
  const soon: Entry[] = [];
  const queues: Entry[][] = [];
  for (let i = 0; i < sources.length; i++) {
    const source = sources[(start + i) % sources.length] as SourceView;
    const entries = source.items.map((candidate): Entry => ({ source, candidate }));
    for (const entry of entries) all.push(entry);
    entries.sort((a, b) => a.candidate.delivery.seq - b.candidate.delivery.seq);
    lowest.push(entries[0] as Entry);
    /** How many items each sender has had so far, and the items by the turn of their sender. */
    const had = new Map<string, number>();
    const turns: Entry[][] = [];
    for (const entry of entries) {
      const sender = senderKey(entry);
      const turn = had.get(sender) ?? 0;
      had.set(sender, turn + 1);
      if (entry === entries[0]) continue;
      if (expiry(entry) - now < SOON_MS) soon.push(entry);
      else if (turns[turn]) turns[turn].push(entry);
      else turns[turn] = [entry];
    }
    queues.push(turns.flat());
  }
  soon.sort((a, b) => expiry(a) - expiry(b));
  const others = queues.length === 1 ? (queues[0] as Entry[]) : interleave(queues);
  return { all, lowest, others: soon.length > 0 ? soon.concat(others) : others };
}

/** Scatters a whole number over 32 bits: multiplication alone would keep the trailing zeros of a regular clock. */
function mix(n: number): number {
  let x = Math.trunc(n % 2 ** 32) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** The first of each queue, then the second of each, and so on. */
function interleave(queues: readonly Entry[][]): Entry[] {
  const out: Entry[] = [];
  const longest = Math.max(0, ...queues.map(q => q.length));
  for (let place = 0; place < longest; place++) {
    for (const queue of queues) if (place < queue.length) out.push(queue[place] as Entry);
  }
  return out;
}

const expiry = (e: Entry) => e.candidate.delivery.expiresAt ?? Number.POSITIVE_INFINITY;

const minus = (a: Size, b: Size): Size => plus(a, b, -1);
const plus = (a: Size, b: Size, sign = 1): Size => ({
  cost: a.cost + sign * b.cost,
  bytes: a.bytes + sign * b.bytes,
  utf16: a.utf16 + sign * b.utf16,
});
const share = (a: Size, part: number): Size => ({ cost: a.cost * part, bytes: a.bytes * part, utf16: a.utf16 * part });
const least = (a: Size, b: Size): Size => ({
  cost: Math.min(a.cost, b.cost),
  bytes: Math.min(a.bytes, b.bytes),
  utf16: Math.min(a.utf16, b.utf16),
});
