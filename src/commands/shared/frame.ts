import { randomBytes } from 'node:crypto';
import type { Size } from '../../core/cut.ts';
import { Item } from '../../core/item.ts';
import { renderHead, renderTail } from '../../core/render.ts';
import type { SourceView } from '../../core/types.ts';
import type { Delivery } from '../../delivery.ts';
import type { Inbox } from '../../sources/index.ts';

export interface Framing {
  readonly inbox: Inbox;
  /** 1-based place in the configuration. */
  readonly index: number;
  /** Several sources are configured, so commands must name theirs. */
  readonly manySources: boolean;
  readonly deliveries: readonly Delivery[];
  /** Whole messages, or a line each. */
  readonly whole: boolean;
  readonly left: number;
  readonly more: boolean;
  readonly withheld: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Somebody asked for this text, so nothing is left out: the caps of a turn do not apply. */
const NO_CAP: Size = { cost: 1e12, bytes: 1e9, utf16: 1e9 };

/** Peer text for whoever reads a pipe: the frame of the hook, with a fresh nonce. */
export function framed(framing: Framing): string {
  const { inbox, index, deliveries, now, manySources } = framing;
  const source: SourceView = { name: inbox.name, index, origin: inbox.origin, items: [], hasMore: false, withheld: 0 };
  const nonce = BigInt(`0x${randomBytes(16).toString('hex')}`).toString(36);
  const pieces = deliveries.map(delivery => {
    const item = new Item({ source, candidate: { delivery, unproven: 0 } }, { now, manySources, caps: NO_CAP });
    return ((framing.whole ? item.full(NO_CAP) : undefined) ?? item.least(NO_CAP))?.text ?? '';
  });
  const head = renderHead({
    nonce,
    caps: NO_CAP,
    recipient: inbox.handle || 'this agent',
    from: inbox.origin,
    shown: deliveries.length,
    senders: new Set(deliveries.map(one => one.senderId || one.sender)).size,
  });
  return head + pieces.join('') + renderTail(nonce, framing);
}
