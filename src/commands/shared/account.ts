import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { envToken, originOf, readConfig, readCredentials } from '../../config/load.ts';
import { failures } from '../../messages.ts';
import { cliFailures } from '../../messages-cli.ts';
import { isLoopback } from '../../relay/surfaces/http-guard.ts';
import type { Account } from './client.ts';
import type { Context } from './context.ts';
import { flag, text } from './options.ts';

/** `file:relay.db` and `file:~/relay.db` as people type them; everything else as it is. */
export function absoluteUrl(context: Context, url: string): string {
  if (!url.startsWith('file:')) return url;
  const path = url.replace(/^file:(\/\/(?=\/))?/, '');
  if (path === '') return url;
  const home = context.env.HOME || homedir();
  return `file:${resolve(context.cwd, path === '~' || path.startsWith('~/') ? home + path.slice(1) : path)}`;
}

/**
 * Whether a token may travel to this address.
 * @throws `bad_input` for plain HTTP beyond this machine without `--insecure-http`
 */
export function checkTransport(context: Context, url: string): void {
  if (!url.startsWith('http:') || flag(context, 'insecureHttp')) return;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (!isLoopback(host)) throw cliFailures.clearText(new URL(url).origin);
}

/**
 * The relay to administrate: `--url`, else PRETURN_URL, else the first source. With an HTTP relay the token is
 * PRETURN_TOKEN when the URL comes from the command line or the environment, else the administrator's from `login`.
 *
 * @throws `config_invalid`, `unauthenticated`, `credentials_unsafe`, `bad_input`
 */
export function administrated(context: Context): Account {
  const { env } = context;
  const given = text(context, 'url') ?? (env.PRETURN_URL || undefined);
  const config = given === undefined ? readConfig(env) : undefined;
  const source = config?.sources[0];
  const url = given === undefined ? source?.url : absoluteUrl(context, given);
  if (url === undefined) throw cliFailures.noRelay();
  const origin = originOf(url);
  const caFile = source?.caFile ?? (env.PRETURN_CA_FILE || undefined);
  if (origin.startsWith('file:')) return { url, origin, identity: '', token: undefined, caFile };
  checkTransport(context, url);
  const token = given === undefined ? undefined : envToken(env);
  if (token !== undefined) return { url, origin, identity: '', token, caFile };
  const entries = readCredentials(context.configDir).entries.filter(entry => entry.origin === origin);
  const wanted = text(context, 'as') ?? 'admin';
  const entry =
    entries.find(one => one.handle === wanted || one.agentId === wanted) ??
    (entries.length === 1 && text(context, 'as') === undefined ? entries[0] : undefined);
  if (!entry) throw entries.length === 0 ? failures.noCredential(origin) : cliFailures.noAdmin(origin);
  return { url, origin, identity: entry.agentId, token: entry.token, caFile };
}
