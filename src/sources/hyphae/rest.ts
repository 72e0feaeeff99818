import type { PreturnError } from '../../errors.ts';
import type { HttpReply } from '../../lib/exchange.ts';
import { postJson } from '../../lib/http.ts';
import { failures } from '../../messages.ts';
import type { Page, PullRequest, Source } from '../source.ts';
import { toPage, type WireExtras } from './wire.ts';

export interface RestOptions {
  readonly name: string;
  readonly url: string;
  readonly origin: string;
  readonly token: string | undefined;
  readonly caFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `pull_inbox` over `POST /v1/inbox:pull`: the fast path. Epoch and row guards travel in headers, beside the envelope. */
export function restSource(options: RestOptions): Source {
  const { name, origin, token, caFile, env } = options;
  const url = `${options.url.replace(/\/+$/, '')}/v1/inbox:pull`;
  let ceiling = Number.POSITIVE_INFINITY;

  async function pull(request: PullRequest, signal: AbortSignal): Promise<Page> {
    const limit = request.limit === undefined ? undefined : Math.min(request.limit, ceiling);
    const { ack, since } = request;
    const body = JSON.stringify({ since, ack: ack?.seq, limit });
    const headers: Record<string, string> = {};
    if (ack?.epoch !== undefined) headers['preturn-epoch'] = ack.epoch;
    if (ack?.row !== undefined) headers['preturn-ack-row'] = `${ack.row.seq}:${ack.row.id}`;
    let reply: HttpReply;
    try {
      reply = await postJson({ url, token, headers, body, caFile, signal, env });
    } catch (error) {
      // One huge row must not block the inbox: halve the window down to a single row.
      if ((error as PreturnError).code !== 'too_large' || limit === undefined || limit <= 1) throw error;
      ceiling = Math.floor(limit / 2);
      return pull(request, signal);
    }
    return read(reply, request);
  }

  function read(reply: HttpReply, request: PullRequest): Page {
    if (reply.status === 401) throw failures.refused(origin);
    if (reply.status === 403) throw failures.forbidden(origin);
    if (reply.status === 429 || reply.status >= 500) throw failures.unreachable(origin, `HTTP ${reply.status}`);
    if (reply.status !== 200) throw failures.badReply(origin, `HTTP ${reply.status}`);
    let value: unknown;
    try {
      value = JSON.parse(reply.body);
    } catch {
      throw failures.badReply(origin, 'it is not JSON');
    }
    return toPage(value, reply.bytes, { source: name, origin, request }, extras(reply));
  }

  return { name, origin, pull };
}

function extras(reply: HttpReply): WireExtras {
  const epoch = reply.header('preturn-epoch');
  const row = /^(\d{1,16}):(.+)$/.exec(reply.header('preturn-window-row') ?? '');
  const ack = reply.header('preturn-ack');
  return {
    ...(epoch ? { epoch } : {}),
    ...(row ? { windowRow: { seq: Number(row[1]), id: row[2]! } } : {}),
    ...(ack === 'applied' || ack === 'ignored-epoch' || ack === 'ignored-row' ? { ack } : {}),
  };
}
