import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { sanitizeLine } from '../core/sanitize.ts';
import { ERROR_CODES, type ErrorCode, PreturnError } from '../errors.ts';
import { failures } from '../messages.ts';
import { MAX_REPLY_BYTES } from './exchange.ts';
import { proxyFor } from './proxy-rules.ts';

export interface ApiCall {
  /** The relay's address; a path in it is kept. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the address, e.g. `/v1/agents/me`. */
  readonly path: string;
  readonly token: string | undefined;
  readonly body?: unknown;
  /** PEM file with a private certificate authority, trusted beside the public ones. */
  readonly caFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whole call, ms. */
  readonly timeoutMs?: number;
}

/** A person waits; a turn does not go through here. */
const TIMEOUT_MS = 10_000;

/**
 * One REST call of the command line. Proxies as the environment says, never for loopback; redirects are not followed,
 * because the token must not travel elsewhere.
 *
 * @returns the parsed JSON body of a success
 * @throws PreturnError: the relay's own error by its reason, else `unauthenticated`, `forbidden`, `unreachable`,
 *   `timeout`, `bad_reply`, `too_large`, `config_invalid` (CA file)
 */
export async function callApi(call: ApiCall): Promise<unknown> {
  const base = new URL(call.url);
  const url = new URL(`${base.pathname.replace(/\/+$/, '')}${call.path}`, base.origin);
  const signal = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
  const dispatcher = dispatcherFor(url, call);
  try {
    const response = await request(url, {
      method: call.method,
      dispatcher,
      signal,
      headers: {
        accept: 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    return read(url.origin, response.statusCode, await bodyOf(url.origin, response.body));
  } catch (error) {
    if (error instanceof PreturnError) throw error;
    if (signal.aborted) throw failures.timeout(url.origin);
    throw failures.unreachable(url.origin, whyOf(error), error);
  } finally {
    dispatcher.destroy().catch(() => {});
  }
}

function dispatcherFor(url: URL, { caFile, env }: ApiCall): Dispatcher {
  const proxy = proxyFor(url, env);
  const tls = caFile === undefined ? {} : { ca: [...rootCertificates, readCa(caFile)] };
  return proxy === undefined ? new Agent({ connect: tls }) : new ProxyAgent({ uri: proxy, requestTls: tls });
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw failures.configInvalid(file, (error as Error).message);
  }
}

async function bodyOf(origin: string, body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw failures.replyTooLarge(origin);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function read(origin: string, status: number, body: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    if (status === 401) throw failures.refused(origin);
    throw failures.badReply(origin, status === 200 ? 'it is not JSON' : `HTTP ${status}`);
  }
  if (status >= 200 && status < 300) return value;
  throw relayError(origin, status, value);
}

/** The AIP-193 error that our relay sends; its words are a stranger's and go through the sanitiser. */
function relayError(origin: string, status: number, value: unknown): PreturnError {
  if (status === 401) return failures.refused(origin);
  const error = (value as { error?: { message?: unknown; details?: unknown } } | null)?.error;
  const detail = Array.isArray(error?.details) ? error.details[0] : undefined;
  const code = String(detail?.reason).toLowerCase();
  if (!isCode(code) || typeof error?.message !== 'string') {
    return status === 403 ? failures.forbidden(origin) : failures.badReply(origin, `HTTP ${status}`);
  }
  const hint: unknown = detail?.metadata?.hint;
  return new PreturnError(code, short(error.message), typeof hint === 'string' ? { hint: short(hint) } : {});
}

function isCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

function short(text: string): string {
  return sanitizeLine(text.slice(0, 1000));
}

function whyOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code && !code.startsWith('UND_') ? code : message || String(error);
}
