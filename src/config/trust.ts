import { join } from 'node:path';
import type { TrustRules } from '../core/trust.ts';
import { digest } from '../lib/digest.ts';
import { READ_LIMIT, readSmallFile } from '../lib/files.ts';
import { fits, list, object, oneOf, optional, text } from '../lib/shape.ts';
import type { Env } from './load.ts';
import { configDir } from './paths.ts';

/** The person's file, and what the command line compiled it to: the hook's start-up has no room for a YAML parser. */
export const TRUST_FILE = 'trust.yaml';
export const COMPILED_TRUST_FILE = 'trust.json';

const CompiledShape = object({
  v: oneOf(1),
  /** Digest of the YAML that this came from. */
  hash: text(),
  state: oneOf('valid', 'invalid'),
  unknown: oneOf('show', 'withhold'),
  entries: list(
    object({
      origin: optional(text()),
      handle: optional(text()),
      agentId: optional(text()),
      decision: oneOf('show', 'block'),
    }),
  ),
});

/** The compiled file's text. */
export function compiledTrust(hash: string, rules: TrustRules): string {
  const { unknown, entries } = rules.state === 'valid' ? rules : { unknown: 'withhold', entries: [] };
  return `${JSON.stringify({ v: 1, hash, state: rules.state, unknown, entries })}\n`;
}

export function trustHash(yaml: Buffer): string {
  return digest(yaml.toString('latin1'));
}

/** The rules of this user: none without a trust.yaml, invalid while it is not compiled as it now stands. */
export function readTrust(env: Env): TrustRules {
  const dir = configDir(env);
  let yaml: Buffer;
  try {
    yaml = readSmallFile(join(dir, TRUST_FILE), READ_LIMIT.own);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { state: 'none' } : { state: 'invalid' };
  }
  try {
    const compiled = fits(
      CompiledShape,
      JSON.parse(readSmallFile(join(dir, COMPILED_TRUST_FILE), READ_LIMIT.own).toString('utf8')),
    );
    if (compiled?.hash !== trustHash(yaml) || compiled.state === 'invalid') return { state: 'invalid' };
    return { state: 'valid', unknown: compiled.unknown, entries: compiled.entries };
  } catch {
    return { state: 'invalid' };
  }
}
