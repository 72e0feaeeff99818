import type * as Http from 'node:http';
import { PreturnError } from '../errors.ts';
import { failures } from '../messages.ts';
import { type HttpCall, type HttpReply, MAX_REPLY_BYTES } from './exchange.ts';
import { READ_LIMIT, readSmallFile } from './files.ts';
import { proxyFor } from './proxy-rules.ts';

/**
 * POSTs JSON by `node:http(s)`, four to five times cheaper cold than `fetch` or undici (1.5 × a bare node start against
 * 6 ×); undici is loaded only behind a proxy. One keep-alive connection a turn.
 *
 * @throws PreturnError `unreachable`, `timeout` (the signal), `too_large`
 */
export async function postJson(call: HttpCall): Promise<HttpReply> {
  const url = new URL(call.url);
  const proxy = proxyFor(url, call.env);
  if (proxy !== undefined) {
    const { postThroughProxy } = await import('./proxy.ts');
    return postThroughProxy(call, proxy);
  }
  if (url.hostname !== 'localhost') return send(url, url.hostname, call);
  // An IP literal saves the resolver (1.48 × against 1.74 ×); some machines know localhost only as ::1.
  try {
    return await send(url, '127.0.0.1', call);
  } catch (error) {
    if (call.signal.aborted || !isRefused(error)) throw error;
    return send(url, '::1', call);
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code === 'ECONNREFUSED' || cause?.code === 'EADDRNOTAVAIL';
}

async function send(url: URL, host: string, call: HttpCall): Promise<HttpReply> {
  const secure = url.protocol === 'https:';
  // Loaded only when a request is made: 2 ms, and node:https 2 more.
  const library = (await (secure ? import('node:https') : import('node:http'))).default as typeof Http;
  const options: Http.RequestOptions & { ca?: Buffer } = {
    host: host.replace(/^\[|\]$/g, ''),
    port: url.port || (secure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(call.body),
      accept: 'application/json',
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...call.headers,
    },
    ...(call.caFile === undefined ? {} : { ca: readSmallFile(call.caFile, READ_LIMIT.own) }),
  };
  if (call.signal.aborted) throw failures.timeout(url.origin);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      if (error instanceof PreturnError) return reject(error);
      const why = (error as NodeJS.ErrnoException).code ?? error.message;
      reject(call.signal.aborted ? failures.timeout(url.origin) : failures.unreachable(url.origin, why, error));
    };
    const request = library.request(options, response => collect(response, url.origin, resolve, fail));
    request.on('error', fail);
    call.signal.addEventListener('abort', () => request.destroy(failures.timeout(url.origin)), { once: true });
    request.end(call.body);
  });
}

function collect(
  response: Http.IncomingMessage,
  origin: string,
  resolve: (reply: HttpReply) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_REPLY_BYTES) chunks.push(chunk);
    else {
      fail(failures.replyTooLarge(origin));
      response.destroy();
    }
  });
  response.on('error', fail);
  response.on('aborted', () => fail(new Error('the connection closed in the middle of the answer')));
  response.on('end', () =>
    resolve({
      status: response.statusCode ?? 0,
      header: name => {
        const value = response.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body: Buffer.concat(chunks).toString('utf8'),
      bytes,
    }),
  );
}
