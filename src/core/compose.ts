import { failures } from '../messages.ts';
import { capsHold, pack } from './pack.ts';
import type { Composed, ComposeInput } from './types.ts';

/**
 * The one call the hook makes: from what the sources brought to the text to inject. Pure: the same input gives the same
 * block. With candidates at hand at least one is shown, and of every source the lowest unhandled one, as far as room
 * allows. Without candidates there is no block, also when items are withheld: those counts ride along with mail.
 * Throws `config_invalid` when the caps cannot hold the frame and one digest (capsHold).
 */
export function compose(input: ComposeInput): Composed {
  if (!capsHold(input.caps)) throw failures.capTooSmall();
  const { picks, head, tail, size, left } = pack(input);
  if (picks.length === 0) return { block: null, shown: [], left, tokens: 0, bytes: 0 };
  return {
    block: head + picks.map(([, piece]) => piece.text).join('') + tail,
    shown: picks.map(
      ([
        {
          candidate: { delivery },
        },
        { tier },
      ]) => ({
        source: delivery.source,
        seq: delivery.seq,
        id: delivery.id,
        tier,
      }),
    ),
    left,
    // The parts' costs add up (tokens.ts), so this is what estimateTokens says of the block.
    tokens: Math.min(Math.ceil(size.cost / 100), size.bytes),
    bytes: size.bytes,
  };
}
