import * as z from 'zod/mini';

/**
 * The user's configuration, `config.json`. zod/mini because the hook's bundle carries it: 1.03 × bare node
 * cold, where classic zod costs 2.02 ×. Every number states its unit and its bounds.
 */
export const ACK_MODES = ['confirmed', 'next-turn', 'after-print'] as const;
export type AckMode = (typeof ACK_MODES)[number];

export const LIMITS = {
  budgetMs: { min: 200, max: 10_000, default: 1500 },
  maxTokens: { min: 300, max: 20_000, default: 2000 },
  maxBytes: { min: 1200, max: 9000, default: 9000 },
  limit: { min: 1, max: 200, default: 50 },
} as const;

const bounded = (key: keyof typeof LIMITS) =>
  z._default(z.int().check(z.minimum(LIMITS[key].min), z.maximum(LIMITS[key].max)), LIMITS[key].default);

const SourceSchema = z.object({
  /** Unique, `[a-z0-9-]`, at most 32 characters. */
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,31}$/)),
  kind: z._default(z.enum(['hyphae']), 'hyphae'),
  /** `http(s)://host[:port]` or `file:/absolute/path.db`. */
  url: z.string().check(z.minLength(1)),
  /** Identity to drain as: agent id; for `file:` an agent id or handle. */
  agent: z.optional(z.string()),
  /** PEM file with the relay's private certificate authority. */
  caFile: z.optional(z.string()),
});

/** Binds a project directory (and everything below it) to an identity of one source. */
const BindingSchema = z.object({ dir: z.string(), source: z.string(), agent: z.string() });

export const ConfigSchema = z.object({
  version: z._default(z.literal(1), 1),
  sources: z._default(z.array(SourceSchema), []),
  bindings: z._default(z.array(BindingSchema), []),
  /** Wall time of one turn from process start, ms. */
  budgetMs: bounded('budgetMs'),
  /** Cap of the block, estimated tokens. */
  maxTokens: bounded('maxTokens'),
  /** Cap of the block, UTF-8 bytes and UTF-16 units alike. */
  maxBytes: bounded('maxBytes'),
  /** Rows examined a pull. */
  limit: bounded('limit'),
  ack: z._default(z.enum(ACK_MODES), 'confirmed'),
  /** `preturn pause`: the hook ends before any work. */
  paused: z._default(z.boolean(), false),
  /** Where the package is installed, so that a bare plugin checkout finds the native SQLite library. */
  packageDir: z.optional(z.string()),
});

export type Config = z.infer<typeof ConfigSchema>;
export type SourceConfig = Config['sources'][number];
export type Binding = Config['bindings'][number];

/**
 * A project's `.preturn.json`: an allow-list that can only tighten. It names no secret, no identity and no origin;
 * what loosens is ignored.
 */
export const ProjectSchema = z.object({
  off: z.optional(z.boolean()),
  /** Only these sources, by name. */
  sources: z.optional(z.array(z.string())),
  maxTokens: z.optional(z.int().check(z.minimum(LIMITS.maxTokens.min))),
  maxBytes: z.optional(z.int().check(z.minimum(LIMITS.maxBytes.min))),
  budgetMs: z.optional(z.int().check(z.minimum(LIMITS.budgetMs.min))),
});
export type ProjectConfig = z.infer<typeof ProjectSchema>;

/** `credentials.json`, mode 0600: tokens keyed by (origin, agent id). */
export const CredentialsSchema = z.object({
  version: z.literal(1),
  entries: z.array(z.object({ origin: z.string(), agentId: z.string(), handle: z.string(), token: z.string() })),
});
export type Credentials = z.infer<typeof CredentialsSchema>;
export type Credential = Credentials['entries'][number];
