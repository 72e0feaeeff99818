import { localSource } from './hyphae/local.ts';
import { restSource } from './hyphae/rest.ts';
import type { Source } from './source.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One inbox to drain, resolved from configuration, credentials and environment. */
export interface Inbox {
  readonly name: string;
  readonly kind: 'hyphae';
  /** As configured: `http(s)://…` or `file:/absolute/path`. */
  readonly url: string;
  /** `scheme://host:port`, or `file:` and the absolute path. */
  readonly origin: string;
  /** Key of the journal beside the origin: the agent id, or a fingerprint of the token. */
  readonly identity: string;
  /** Handle for the block's header. */
  readonly handle: string;
  readonly token: string | undefined;
  readonly caFile: string | undefined;
}

export interface OpenOptions {
  readonly env: Env;
  /** Working time left, ms. */
  readonly left: () => number;
  readonly now: () => number;
  readonly packageDir: string | undefined;
}

/** Part of the working time that one wait for a writer may take: a turn may meet it three times, and still has to print. */
const BUSY_SHARE = 0.2;

/** Opens the adapter for an inbox; nothing is contacted before the first pull. */
export function openSource(inbox: Inbox, { env, left, now, packageDir }: OpenOptions): Source {
  const { name, url, origin, token, caFile, identity } = inbox;
  if (origin.startsWith('file:')) {
    const path = origin.slice('file:'.length);
    return localSource({
      name,
      origin,
      path,
      agent: identity,
      busyTimeoutMs: Math.floor(left() * BUSY_SHARE),
      packageDir,
      now,
    });
  }
  return restSource({ name, url, origin, token, caFile, env });
}
