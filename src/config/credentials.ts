import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile } from '../lib/files.ts';
import { exclusively } from './exclusive.ts';
import { readCredentials } from './load.ts';
import { CREDENTIALS_FILE } from './paths.ts';
import type { Credential, Credentials } from './schema.ts';

/** Adds a credential, or replaces the one of the same (origin, agent id). @throws as readCredentials, and `busy` */
export function saveCredential(dir: string, credential: Credential): Promise<void> {
  return change(dir, entries => [...entries.filter(entry => !same(entry, credential)), credential]);
}

/** Forgets a credential; true when there was one. @throws as readCredentials, and `busy` */
export async function removeCredential(dir: string, key: Pick<Credential, 'origin' | 'agentId'>): Promise<boolean> {
  let found = false;
  await change(dir, entries => {
    const rest = entries.filter(entry => !same(entry, key));
    found = rest.length !== entries.length;
    return rest;
  });
  return found;
}

function change(dir: string, next: (entries: readonly Credential[]) => Credential[]): Promise<void> {
  return exclusively(dir, () => {
    const entries = next(readCredentials(dir).entries);
    const text = `${JSON.stringify({ version: 1, entries } satisfies Credentials, null, 2)}\n`;
    // replaceFile creates with mode 0600 before a byte of it is written.
    replaceFile(join(dir, CREDENTIALS_FILE), text, randomBytes(6).toString('hex'));
  });
}

function same(a: Pick<Credential, 'origin' | 'agentId'>, b: Pick<Credential, 'origin' | 'agentId'>): boolean {
  return a.origin === b.origin && a.agentId === b.agentId;
}
