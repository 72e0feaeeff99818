import { codeOf, type PreturnError } from '../../errors.ts';
import { failures } from '../../messages.ts';
import type { Principal } from '../../relay/principal.ts';
import { openRelayService, type RelayService } from '../../relay/service.ts';
import type { Page, PullRequest } from '../source.ts';
import { toPage } from './wire.ts';

/**
 * `pull_inbox` on a SQLite file in this process: no server, no port. A bundle of its own, loaded only when the file has
 * changed since the inbox was last empty. The operating system's user is the boundary, so there is no token.
 */
export interface FilePuller {
  pull(request: PullRequest, signal: AbortSignal): Promise<Page>;
}

export interface FileOptions {
  readonly name: string;
  readonly origin: string;
  /** Absolute path of the database. */
  readonly path: string;
  /** Agent id or handle. */
  readonly agent: string;
  /** How long a writer elsewhere may keep us waiting, ms: the driver is synchronous, so no signal can interrupt it. */
  readonly busyTimeoutMs: number;
}

/** The store is opened by the first pull and never closed: closing would checkpoint and change the file under others' stamps. */
export function filePuller(options: FileOptions): FilePuller {
  let opened: Promise<{ service: RelayService; principal: Principal }> | undefined;
  const open = async () => {
    const service = await openRelayService({ path: options.path, busyTimeoutMs: options.busyTimeoutMs });
    return { service, principal: await service.actAs(options.agent) };
  };
  return {
    async pull(request, signal) {
      if (signal.aborted) throw failures.timeout(options.origin);
      try {
        opened ??= open();
        const { service, principal } = await opened;
        return await pullFrom(service, principal, request, options);
      } catch (error) {
        throw explain(error, options.origin);
      }
    },
  };
}

/** One page through the relay’s service layer, mapped and validated like any other answer. */
export async function pullFrom(
  service: RelayService,
  principal: Principal,
  request: PullRequest,
  { name, origin }: Pick<FileOptions, 'name' | 'origin'>,
): Promise<Page> {
  const { since, limit, ack } = request;
  const result = await service.pull(
    principal,
    { since, limit, ack: ack?.seq },
    ack === undefined ? {} : { epoch: ack.epoch, row: ack.row },
  );
  const bytes = result.itemsJson.reduce((sum, item) => sum + Buffer.byteLength(item), 0);
  const envelope = {
    items: result.itemsJson.map(item => JSON.parse(item) as unknown),
    cursor: result.cursor,
    window_high: result.windowHigh,
    has_more: result.hasMore,
  };
  const { epoch, windowRow } = result;
  return toPage(
    envelope,
    bytes,
    { source: name, origin, request },
    {
      epoch,
      ...(windowRow === undefined ? {} : { windowRow }),
      ...(result.ack === undefined ? {} : { ack: result.ack }),
    },
  );
}

/** A missing agent is a refused identity; a store that cannot be used is unreachable; the rest is as it is. */
function explain(error: unknown, origin: string): PreturnError {
  const code = codeOf(error);
  if (code === 'not_found') return failures.refused(origin);
  if (code === 'internal')
    return failures.unreachable(origin, error instanceof Error ? error.message : String(error), error);
  return error as PreturnError;
}
