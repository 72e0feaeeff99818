import { join } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import type { TrustEntry, TrustRules } from '../core/trust.ts';
import { READ_LIMIT, readSmallFile, replaceFile } from '../lib/files.ts';
import type { Env } from './load.ts';
import { configDir } from './paths.ts';
import { COMPILED_TRUST_FILE, compiledTrust, readTrust, TRUST_FILE, trustHash } from './trust.ts';

const EntrySchema = z.looseObject({
  auto_read: z.optional(z.boolean()),
  auto_test: z.optional(z.boolean()),
  auto_write_paths: z.optional(z.array(z.string())),
  require_approval: z.optional(z.array(z.string())),
});

/** trust.yaml: who of the peers may be shown. Unknown keys pass; a missing policy rejects. */
const TrustSchema = z.looseObject({
  version: z.literal(1),
  teammates: z.optional(z.record(z.string(), z.nullable(EntrySchema))),
  unknown_teammates: z.optional(
    z.looseObject({ policy: z._default(z.enum(['reject', 'allow_with_default_trust']), 'reject') }),
  ),
  blocked: z.optional(z.array(z.string())),
  defaults: z.optional(EntrySchema),
});

export interface TrustReport {
  readonly state: TrustRules['state'];
  /** What is wrong with the file, for people. */
  readonly problem?: string;
}

/**
 * Compiles trust.yaml to the JSON that the hook reads, when it is not compiled as it stands.
 * YAML 1.2, core schema: `yes` is text and not true, so where a list or a flag belongs it makes the file invalid, as a
 * duplicate key does, and mail waits.
 */
export function compileTrustFile(env: Env): TrustReport {
  const dir = configDir(env);
  let yaml: Buffer;
  try {
    yaml = readSmallFile(join(dir, TRUST_FILE), READ_LIMIT.own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'none' };
    return { state: 'invalid', problem: (error as Error).message };
  }
  const { rules, problem } = parseTrust(yaml.toString('utf8'));
  if (readTrust(env).state !== rules.state || rules.state === 'valid') {
    replaceFile(join(dir, COMPILED_TRUST_FILE), compiledTrust(trustHash(yaml), rules), String(process.pid));
  }
  return { state: rules.state, ...(problem === undefined ? {} : { problem }) };
}

export function parseTrust(text: string): { readonly rules: TrustRules; readonly problem?: string } {
  const invalid = (problem: string) => ({ rules: { state: 'invalid' as const }, problem });
  const document = parseDocument(text, { schema: 'core', version: '1.2', uniqueKeys: true, prettyErrors: true });
  const error = document.errors[0];
  if (error) return invalid(error.message);
  const parsed = TrustSchema.safeParse(document.toJS({ mapAsMap: false }));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return invalid(`${issue?.path.map(String).join('.') || 'the file'}: ${issue?.message ?? 'invalid'}`);
  }
  const { teammates = {}, blocked = [], unknown_teammates } = parsed.data;
  const entries: TrustEntry[] = [
    ...blocked.map(handle => ({ handle, decision: 'block' as const })),
    ...Object.keys(teammates).map(handle => ({ handle, decision: 'show' as const })),
  ];
  const unknown = unknown_teammates?.policy === 'allow_with_default_trust' ? 'show' : 'withhold';
  return { rules: { state: 'valid', unknown, entries } };
}
