import { ProxyAgent, request } from 'undici';
import { PreturnError } from '../errors.ts';
import { failures } from '../messages.ts';
import { type HttpCall, type HttpReply, MAX_REPLY_BYTES } from './exchange.ts';
import { READ_LIMIT, readSmallFile } from './files.ts';

/**
 * POSTs JSON through an HTTP proxy with undici. A bundle of its own, loaded only when a proxy applies: undici costs
 * about 60 ms of CPU cold.
 *
 * @throws PreturnError `unreachable`, `timeout`, `too_large`
 */
export async function postThroughProxy(call: HttpCall, proxy: string): Promise<HttpReply> {
  const { origin } = new URL(call.url);
  const ca = call.caFile === undefined ? undefined : readSmallFile(call.caFile, READ_LIMIT.own).toString('utf8');
  const dispatcher = new ProxyAgent({ uri: proxy, ...(ca === undefined ? {} : { requestTls: { ca } }) });
  const exchange = async (): Promise<HttpReply> => {
    const response = await request(call.url, {
      method: 'POST',
      dispatcher,
      signal: call.signal,
      body: call.body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
        ...call.headers,
      },
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > MAX_REPLY_BYTES) throw failures.replyTooLarge(origin);
      chunks.push(chunk);
    }
    return {
      status: response.statusCode,
      header: name => {
        const value = response.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body: Buffer.concat(chunks).toString('utf8'),
      bytes,
    };
  };
  // undici heeds the signal only once it is connected: a proxy that takes the tunnel and is silent would hold us for ever.
  const late = new Promise<never>((_, reject) => {
    call.signal.addEventListener('abort', () => reject(failures.timeout(origin)), { once: true });
  });
  try {
    return await Promise.race([exchange(), late]);
  } catch (error) {
    if (error instanceof PreturnError) throw error;
    if (call.signal.aborted) throw failures.timeout(origin);
    throw failures.unreachable(origin, error instanceof Error ? error.message : String(error), error);
  } finally {
    dispatcher.destroy().catch(() => {});
  }
}
