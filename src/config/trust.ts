import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { TrustRules } from '../core/trust.ts';
import { type Env } from './load.ts';
import { configDir } from './paths.ts';

/** The person's file, and what the command line compiled it to: the hook's start-up has no room for a YAML parser. */
export const TRUST_FILE = 'trust.yaml';
export const COMPILED_TRUST_FILE = 'trust.json';

export const CompiledTrustSchema = z.object({
  v: z.literal(1),
  /** SHA-256 of the YAML bytes that this came from. */
  hash: z.string(),
  rules: z.discriminatedUnion('state', [
    z.object({ state: z.literal('invalid') }),
    z.object({
      state: z.literal('valid'),
      unknown: z.enum(['show', 'withhold']),
      entries: z.array(
        z.object({
          origin: z.optional(z.string()),
          handle: z.optional(z.string()),
          agentId: z.optional(z.string()),
          decision: z.enum(['show', 'block']),
        }),
      ),
    }),
  ]),
});

export function trustHash(yaml: Uint8Array): string {
  return createHash('sha256').update(yaml).digest('hex');
}

/** The rules of this user: none without a trust.yaml, invalid while it is not compiled as it now stands. */
export function readTrust(env: Env): TrustRules {
  const dir = configDir(env);
  let yaml: Buffer;
  try {
    yaml = readFileSync(join(dir, TRUST_FILE));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { state: 'none' } : { state: 'invalid' };
  }
  try {
    const compiled = CompiledTrustSchema.parse(JSON.parse(readFileSync(join(dir, COMPILED_TRUST_FILE), 'utf8')));
    return compiled.hash === trustHash(yaml) ? (compiled.rules as TrustRules) : { state: 'invalid' };
  } catch {
    return { state: 'invalid' };
  }
}
