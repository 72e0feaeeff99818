import type { PreturnError } from '../../errors.ts';
import type { HttpReply } from '../../lib/exchange.ts';
import { postJson } from '../../lib/http.ts';
import { failures } from '../../messages.ts';
import type { Page, PullRequest, Source } from '../source.ts';
import { toPage, type WireExtras } from './wire.ts';

/** Answers up to this are parsed as they are, UTF-8 bytes: whatever they hold takes some 100 ms at most. */
const PLAIN_BYTES = 512 * 1024;
/** Lists and objects in one answer, at most: 200 items have some thousand. */
const MAX_NODES = 50_000;

/**
 * Whether a large answer has more lists and objects than any inbox page: JSON.parse heeds no deadline, and takes 2.5 s for
 * 10 MB of nested brackets where it takes 0.05 s for 10 MB of text.
 */
export function isIntricate(json: string): boolean {
  let nodes = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === 0x5b || unit === 0x7b) {
      if (++nodes > MAX_NODES) return true;
    } else if (unit === 0x22) at = endOfString(json, at);
  }
  return false;
}

/** Where the string that opens at `from` closes: at a quote after an even number of backslashes. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}

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
    if (reply.bytes > PLAIN_BYTES && isIntricate(reply.body)) throw failures.badReply(origin, 'it is too intricate');
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
