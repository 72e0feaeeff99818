import type { Harness, Turn } from './harness.ts';
import { nested, text } from './shared.ts';

/** Text on stdout for pipes and unknown clients: no transcript, so no proof; chosen by `--harness plain`. */
export const plain: Harness = {
  name: 'plain',
  caps: { bytes: 0, utf16: 0 },
  proof: 'none',
  recognise: () => false,
  parse: promptTurn,
  // A notice goes to a person; plain stdout is only the model's.
  format: (_turn, out) => (out.block === null ? '' : `${out.block}\n`),
};

/** Any stdin, or none, is one prompt; session and turn ids are taken where the caller passes them. */
export function promptTurn(stdin: Readonly<Record<string, unknown>> | undefined): Turn {
  const turn = nested(stdin, stdin && 'turn_id' in stdin ? 'turn_id' : 'prompt_id');
  if (turn.event !== '' || text(stdin?.agent_id) !== undefined) return turn;
  return { ...turn, event: 'prompt', action: 'prompt' };
}
