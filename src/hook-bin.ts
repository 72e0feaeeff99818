import { main } from './hook-main.ts';

/** The hook binary: `pre-turn.cjs [--harness NAME]`. */
const at = process.argv.indexOf('--harness');
void main(at < 0 ? undefined : process.argv[at + 1]);
