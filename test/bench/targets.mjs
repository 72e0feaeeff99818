/** What the hook may cost: paired median of wall time against another command of the benchmark. */
export const TARGETS = [
  { name: 'hook, 20 items', base: 'node -e 0', atMost: 1.75 },
  { name: 'hook, 20 items', base: 'bash + curl + jq', atMost: 0.45 },
  { name: 'hook, 20 items', base: 'minimal script', atMost: 1.15 },
  { name: 'hook, 20 items, proves the last block', base: 'node -e 0', atMost: 1.75 },
  { name: 'hook, 20 items, proves the last block', base: 'bash + curl + jq', atMost: 0.45 },
  { name: 'hook, 20 items, proves the last block', base: 'minimal script', atMost: 1.15 },
  { name: 'hook, empty inbox', base: 'node -e 0', atMost: 1.65 },
  { name: 'hook, backlog of 10,000', base: 'hook, 20 items', atMost: 1.3 },
  { name: 'hook, file: 20 items', base: 'node -e 0', atMost: 3 },
  { name: 'hook, file: unchanged', base: 'node -e 0', atMost: 1.2 },
  { name: 'hook, file: unchanged, stdin a pipe', base: 'node -e 0', atMost: 1.2 },
];

/** What every turn loads; together at most this many bytes. */
export const BUNDLE_FILES = ['pre-turn.cjs', 'pre-turn.main.cjs'];
export const BUNDLE_BYTES = 60 * 1024;
