import { readConfig } from '../config/load.ts';
import { codeOf, PreturnError } from '../errors.ts';
import { registrations } from '../harnesses/registration.ts';
import { TARGETS } from '../harnesses/targets.ts';
import { says } from '../messages-says.ts';
import type { Context, Result } from './shared/context.ts';
import { allInboxes, PATIENCE_MS, type Placed, sourceOf } from './shared/inboxes.ts';
import { lastRuns } from './shared/last-runs.ts';
import { walk } from './shared/walk.ts';

/** Rows are counted up to here; more is "more". */
const COUNT_TO = 1000;

/** `preturn status`: one look; acknowledges nothing. It fails only when the configuration does. */
export async function run(context: Context): Promise<Result> {
  const paused = readConfig(context.env).paused;
  const inboxes = await context.waiting('the relay', Promise.all(allInboxes(context).map(one => look(context, one))));
  const clients = TARGETS.map(target => ({
    client: target.name,
    title: target.title,
    places: registrations(target, context.env, context.cwd).map(({ kind, file }) => ({ kind, file })),
  }));
  const runs = lastRuns(context).map(({ at, outcome, harness, event }) => ({
    at: new Date(at).toISOString(),
    ago: context.now() - at,
    outcome,
    client: harness ?? null,
    event: event ?? null,
  }));
  return {
    data: { paused, inboxes, clients, runs },
    text: [
      ...(paused ? [says.statusPaused()] : []),
      ...inboxes.map(says.statusInbox),
      ...clients.map(({ title, places }) =>
        says.statusClient(
          title,
          places.map(one => one.kind),
        ),
      ),
      ...runs.map(run => says.statusRun(run)),
    ].join('\n'),
  };
}

async function look(context: Context, { inbox, index }: Placed) {
  const base = { index, name: inbox.name, origin: inbox.origin, handle: inbox.handle };
  try {
    const pages = await walk(
      sourceOf(context, inbox),
      () => AbortSignal.timeout(PATIENCE_MS),
      sofar => sofar.reduce((sum, page) => sum + page.deliveries.length, 0) >= COUNT_TO,
    );
    const pending = pages.reduce((sum, page) => sum + page.deliveries.length, 0);
    return { ...base, state: 'ok' as const, pending, more: pages.at(-1)!.hasMore, cursor: pages[0]!.cursor };
  } catch (error) {
    if (!(error instanceof PreturnError)) throw error;
    return { ...base, state: codeOf(error), problem: error.message };
  }
}
