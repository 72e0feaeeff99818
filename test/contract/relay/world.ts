import type { RelayOptions } from '../../../src/index.ts';
import type { DeliverArgs } from '../../../src/relay/deliver.ts';
import { startRelay } from '../../helpers/relay.ts';
import { inProcess, mcp, type Page, type Pulled, rest, type Surface } from './surfaces.ts';

export const SURFACES = ['in-process', 'rest', 'mcp'] as const;
export type SurfaceName = (typeof SURFACES)[number];

/** A relay with bob, who reads scope `team`, and alice, seen through one surface (and the others, where asked). */
export async function world(name: SurfaceName, options: RelayOptions = {}) {
  const { relay, url, agents } = await startRelay([{ handle: 'bob', readScopes: ['team'] }, 'alice'], {
    maxBatch: 4,
    ...options,
  });
  const { service } = relay;
  const surfaces: Record<SurfaceName, Surface> = {
    'in-process': inProcess(service),
    rest: rest(url),
    mcp: mcp(url),
  };
  const on = surfaces[name];
  const { bob, alice } = agents;
  return {
    relay,
    service,
    url,
    on,
    surfaces,
    bob,
    alice,
    pull: (args: unknown = {}): Promise<Pulled> => on.pull(bob.token, args),
    /** Appends rows for bob: a count of visible ones, or one entry a row, `hidden` standing out of his read scopes. */
    async fill(rows: number | readonly (Partial<DeliverArgs> | 'hidden' | 'visible')[]) {
      const list = typeof rows === 'number' ? Array.from({ length: rows }, () => 'visible' as const) : rows;
      return service.deliverAll(
        list.map((row, i) => ({
          recipient: 'bob',
          content: `m${i}`,
          ...(row === 'hidden' ? { scope: 'secret' } : row === 'visible' ? { score: 0.5 } : row),
        })),
      );
    },
    /** Makes the next sequence `seq`, leaving a gap as an import from elsewhere might. */
    async skipTo(seq: number) {
      const { agentId } = bob;
      await service.store.db
        .updateTable('inboxes')
        .set({ head: seq - 1 })
        .where('agent_id', '=', agentId)
        .execute();
    },
  };
}

export type World = Awaited<ReturnType<typeof world>>;

export const seqs = ({ items }: { items: Page['items'] }) => items.map(item => item.delivery_seq);

/** The page in one line: sequences, cursor, window_high, has_more. */
export const brief = (page: Page) => [seqs(page), page.cursor, page.window_high, page.has_more];
