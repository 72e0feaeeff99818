import type { Harness } from './harness.ts';
import { promptTurn } from './plain.ts';

/** One JSON object `{block, notice}` for scripts and other tools; chosen by `--harness json`. No proof. */
export const json: Harness = {
  name: 'json',
  caps: { bytes: 0, utf16: 0 },
  proof: 'none',
  recognise: () => false,
  parse: promptTurn,
  format: (_turn, out) => (out.block === null && out.notice === null ? '' : `${JSON.stringify(out)}\n`),
};
