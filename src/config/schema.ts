import {
  fallback,
  flag,
  type Infer,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Shape,
  ShapeError,
  text,
} from '../lib/shape.ts';

/** The user's configuration, `config.json`. Every number states its unit and its bounds. */
export const ACK_MODES = ['confirmed', 'next-turn', 'after-print'] as const;
export type AckMode = (typeof ACK_MODES)[number];

export const LIMITS = {
  budgetMs: { min: 200, max: 10_000, default: 1500 },
  maxTokens: { min: 300, max: 20_000, default: 2000 },
  maxBytes: { min: 1200, max: 9000, default: 9000 },
  limit: { min: 1, max: 200, default: 50 },
} as const;

const bounded = (key: keyof typeof LIMITS) => fallback(integer(LIMITS[key].min, LIMITS[key].max), LIMITS[key].default);

const SourceShape = object({
  /** Unique, at most 32 characters. */
  name: text(/^[a-z0-9][a-z0-9-]{0,31}$/),
  kind: fallback(oneOf('hyphae'), 'hyphae'),
  /** `http(s)://host[:port]` or `file:/absolute/path.db`. */
  url: text(/./),
  /** Identity to drain as: agent id; for `file:` an agent id or handle. */
  agent: optional(text()),
  /** PEM file with the relay's private certificate authority. */
  caFile: optional(text()),
});

type Source = Infer<typeof SourceShape>;
/** A name stands for one source: blocks, bindings and projects go by it. */
const named: Shape<Source[]> = (value, path) => {
  const sources = list(SourceShape)(value, path);
  const twice = sources.findIndex((one, at) => sources.findIndex(other => other.name === one.name) < at);
  if (twice >= 0) throw new ShapeError(`${path}[${twice}].name`, 'unlike the other names');
  return sources;
};

export const ConfigShape = object({
  version: fallback(oneOf(1), 1),
  sources: fallback(named, []),
  /** Binds a project directory (and everything below it) to an identity of one source. */
  bindings: fallback(list(object({ dir: text(), source: text(), agent: text() })), []),
  /** Wall time of one turn from process start, ms. */
  budgetMs: bounded('budgetMs'),
  /** Cap of the block, estimated tokens. */
  maxTokens: bounded('maxTokens'),
  /** Cap of the block, UTF-8 bytes and UTF-16 units alike. */
  maxBytes: bounded('maxBytes'),
  /** Rows examined a pull. */
  limit: bounded('limit'),
  ack: fallback(oneOf(...ACK_MODES), 'confirmed'),
  /** `preturn pause`: the hook ends before any work. */
  paused: fallback(flag, false),
  /** Where the package is installed, so that a bare plugin checkout finds the native SQLite library. */
  packageDir: optional(text()),
});

export type Config = Infer<typeof ConfigShape>;
export type SourceConfig = Config['sources'][number];
export type Binding = Config['bindings'][number];

/**
 * A project's `.preturn.json`: an allow-list that can only tighten. It names no secret, no identity and no origin;
 * what loosens is ignored.
 */
export const ProjectShape = object({
  off: optional(flag),
  /** Only these sources, by name. */
  sources: optional(list(text())),
  maxTokens: optional(integer(LIMITS.maxTokens.min)),
  maxBytes: optional(integer(LIMITS.maxBytes.min)),
  budgetMs: optional(integer(LIMITS.budgetMs.min)),
});
export type ProjectConfig = Infer<typeof ProjectShape>;

/** `credentials.json`, mode 0600: tokens keyed by (origin, agent id). */
export const CredentialsShape = object({
  version: oneOf(1),
  entries: list(object({ origin: text(), agentId: text(), handle: text(), token: text() })),
});
export type Credentials = Infer<typeof CredentialsShape>;
export type Credential = Credentials['entries'][number];
