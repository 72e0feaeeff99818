import type { Tier } from '../delivery.ts';
import { cutText, fits, type Size, sizeOf } from './cut.ts';
import { type Entry, score } from './rank.ts';
import { bound, oneLine } from './render.ts';
import { sanitizeText } from './sanitize.ts';

/** Room of fields that stand on one line. */
const senderRoom = (caps: Size) => bound(caps, 24, 0.04, 64);
const kindRoom = (caps: Size) => bound(caps, 10, 0.02, 32);
/** A UUID is 36 characters and up to 40 estimated tokens; cut, a thread id is of no use. */
const threadRoom = (caps: Size) => bound(caps, 44, 0.14, 48);
const WORDS: Size = { cost: 2600, bytes: 192, utf16: 76 };

/** Characters of a body that are looked at, at most: twice what could be shown, since sanitising may drop some. */
const lookAt = (room: Size) => 2 * Math.min(room.utf16, room.bytes);

/** Below this an excerpt says hardly more than a digest (hundredths of a token). */
const LEAST_EXCERPT = 5000;

/** One tier of one item, ready to stand in the block: begins with `<`, ends with a line feed. */
export interface Piece {
  readonly tier: Tier;
  readonly text: string;
  readonly size: Size;
}

const piece = (tier: Tier, text: string): Piece => ({ tier, text, size: sizeOf(text) });

const within = (room: Size, it: Piece) => (fits(it.size, room) ? it : undefined);

/** What `frame` leaves of `room`, less two tokens for the seams of a text put into it. */
function remaining(room: Size, frame: string): Size {
  const used = sizeOf(frame);
  return { cost: room.cost - used.cost - 200, bytes: room.bytes - used.bytes, utf16: room.utf16 - used.utf16 };
}

/** What an item needs from outside: `now` in epoch ms, whether commands must name the source, the block's caps. */
export interface ItemContext {
  readonly now: number;
  readonly manySources: boolean;
  readonly caps: Size;
}

/** A span of ms as people say it: `40s`, `12m`, `5h`, `9d`; at most `999d`. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 90) return `${s}s`;
  if (s < 5400) return `${Math.floor(s / 60)}m`;
  if (s < 172_800) return `${Math.floor(s / 3600)}h`;
  return `${Math.min(999, Math.floor(s / 86_400))}d`;
}

/** Renders one entry at any tier; each tier at most once a run, because sanitising is the dear part of a turn. */
export class Item {
  readonly entry: Entry;
  readonly #context: ItemContext;
  #body: string | undefined;
  #common: string | undefined;
  #words: string | undefined;

  constructor(entry: Entry, context: ItemContext) {
    this.entry = entry;
    this.#context = context;
  }

  /** The best tier that its history allows: unproven twice → digest, four times → line; unreadable → digest. */
  get ceiling(): Tier {
    const { unproven, delivery } = this.entry.candidate;
    if (unproven >= 4) return 'line';
    return unproven >= 2 || delivery.unreadable !== undefined ? 'digest' : 'full';
  }

  /**
   * The least that counts as shown: one line with the first words, as many as there is room for, and the command that
   * reads the whole; a bare line where the history allows no more. `undefined` when it does not fit `room`.
   *
   * @param words least number of characters worth a line: an item that may as well wait is not shown without its words
   */
  least(room: Size, words = 0): Piece | undefined {
    const { seq, body, unreadable } = this.entry.candidate.delivery;
    if (this.ceiling === 'line') {
      return within(room, piece('line', `<message seq="${seq}"${this.#repeat()} tier="line"${this.#read()}/>\n`));
    }
    this.#words ??= oneLine(unreadable === undefined ? body : `unreadable: ${unreadable}`, WORDS);
    const open = `${this.#open()} tier="digest" chars="${body.length}"${this.#read()}>`;
    const digest = within(room, piece('digest', `${open}${this.#words}</message>\n`));
    if (digest !== undefined) return digest;
    const start = cutText(this.#words, remaining(room, `${open}…</message>\n`));
    return start.length < words ? undefined : within(room, piece('digest', `${open}${start}…</message>\n`));
  }

  /** The whole message, or `undefined` when it cannot fit `room` or its history does not allow it. */
  full(room: Size): Piece | undefined {
    if (this.ceiling !== 'full') return undefined;
    const { length } = this.entry.candidate.delivery.body;
    // Too long at a glance: sanitising halves only what nobody can see, and running text has no 5 characters a token.
    if (length > lookAt(room) || length * 20 > room.cost) return undefined;
    const text = this.#sanitised();
    if (text.length > room.utf16) return undefined;
    // Shorter tiers name the source in their command.
    const source = this.#context.manySources ? ` source="${this.entry.source.index}"` : '';
    return within(room, piece('full', `${this.#open()}${this.#thread()}${source}>\n${text}\n</message>\n`));
  }

  /** A start of the message with the command that reads the rest, within `room`; `undefined` when too little fits. */
  excerpt(room: Size): Piece | undefined {
    if (this.ceiling !== 'full' || room.cost < 2 * LEAST_EXCERPT) return undefined;
    const { length } = this.entry.candidate.delivery.body;
    const open = `${this.#open()}${this.#thread()} tier="excerpt" chars="${length}"${this.#read()}>\n`;
    const left = remaining(room, `${open}…\n</message>\n`);
    if (left.cost < LEAST_EXCERPT || left.bytes < 200 || left.utf16 < 200) return undefined;
    const text = cutText(this.#sanitised(), left);
    if (text === '') return undefined;
    return within(room, piece('excerpt', `${open}${text}…\n</message>\n`));
  }

  /** The part of the body that could be shown; `full` asks only for bodies that are no longer. */
  #sanitised(): string {
    this.#body ??= sanitizeText(this.entry.candidate.delivery.body.slice(0, lookAt(this.#context.caps)));
    return this.#body;
  }

  #open(): string {
    if (this.#common === undefined) {
      const { delivery } = this.entry.candidate;
      const { now, caps } = this.#context;
      const kind = delivery.unreadable === undefined ? delivery.kind : 'unreadable';
      const { deliveredAt, expiresAt } = delivery;
      this.#common =
        `<message seq="${delivery.seq}"` +
        ` from="${oneLine(delivery.sender || delivery.senderId || 'unknown', senderRoom(caps))}"` +
        ` kind="${oneLine(kind, kindRoom(caps))}"` +
        ` score="${score(this.entry).toFixed(2)}"` +
        (deliveredAt === undefined ? '' : ` age="${span(now - deliveredAt)}"`) +
        (expiresAt === undefined ? '' : ` expires="${expiresAt > now ? `in ${span(expiresAt - now)}` : 'past'}"`) +
        this.#repeat();
    }
    return this.#common;
  }

  #repeat(): string {
    return this.entry.candidate.unproven > 0 ? ' repeat="possible"' : '';
  }

  #thread(): string {
    const { threadId, taskId } = this.entry.candidate.delivery;
    const room = threadRoom(this.#context.caps);
    return (
      (threadId ? ` thread="${oneLine(threadId, room)}"` : '') + (taskId ? ` task="${oneLine(taskId, room)}"` : '')
    );
  }

  /** Built from integers only: nothing a peer wrote ends up in a command. */
  #read(): string {
    const { source, candidate } = this.entry;
    return ` read="preturn read ${candidate.delivery.seq}${this.#context.manySources ? ` --source ${source.index}` : ''}"`;
  }
}
