import type { Delivery } from '../../delivery.ts';
import { failures } from '../../messages.ts';
import type { Page, Source } from '../../sources/source.ts';

/** Rows examined a call: the relay's own cap. */
const LIMIT = 200;

/**
 * Contiguous pages from the server's cursor on, without acknowledging anything, until `enough` says so or no row waits.
 *
 * @param signal one for each call
 * @throws as Source.pull; `bad_reply` when the server's window stands still (rule 42), or its store changes on the way
 */
export async function walk(
  source: Source,
  signal: () => AbortSignal,
  enough: (pages: readonly Page[]) => boolean,
): Promise<Page[]> {
  const pages: Page[] = [await source.pull({ limit: LIMIT }, signal())];
  for (;;) {
    const last = pages.at(-1)!;
    if (!last.hasMore || enough(pages)) return pages;
    const page = await source.pull({ limit: LIMIT, since: last.windowHigh }, signal());
    if (page.epoch !== last.epoch) throw failures.badReply(source.origin, 'its store was replaced meanwhile');
    if (page.windowHigh <= last.windowHigh) throw failures.badReply(source.origin, 'its window stands still');
    pages.push(page);
  }
}

/** All deliveries of the pages in sequence order. */
export function inSequence(pages: readonly Page[]): Delivery[] {
  return pages.flatMap(page => page.deliveries).sort((a, b) => a.seq - b.seq);
}
