import { PreturnError } from '../../../errors.ts';
import { checks } from '../../../messages-doctor.ts';
import { openClient } from '../client.ts';
import type { Context } from '../context.ts';
import { allInboxes, PATIENCE_MS, type Placed, sourceOf } from '../inboxes.ts';
import { type Check, failed, ok, warn } from './check.ts';

/** Each inbox: the relay answers, knows the token, and lets it drain. Breakers are not asked. */
export async function checkRelays(context: Context): Promise<Check[]> {
  let inboxes: Placed[];
  try {
    inboxes = allInboxes(context);
  } catch (error) {
    return [failed('inbox', error)];
  }
  return Promise.all(inboxes.map(placed => checkRelay(context, placed)));
}

async function checkRelay(context: Context, { inbox }: Placed): Promise<Check> {
  const name = `inbox ${inbox.name}`;
  const begun = performance.now();
  try {
    const handle = await identity(context, inbox);
    // Above every row: it examines nothing, and still needs the right to drain (rule 16).
    const page = await sourceOf(context, inbox).pull(
      { since: Number.MAX_SAFE_INTEGER },
      AbortSignal.timeout(PATIENCE_MS),
    );
    const ms = Math.round(performance.now() - begun);
    if (page.epoch === undefined)
      return warn(name, checks.relayWithoutEpoch(inbox.origin), checks.relayWithoutEpochNext());
    return ok(name, checks.relayAnswers(inbox.origin, handle, page.cursor, ms));
  } catch (error) {
    return failed(name, error);
  }
}

/** A foreign server may not know the route for one's own identity; then the inbox itself is the proof. */
async function identity(context: Context, inbox: Placed['inbox']): Promise<string> {
  const client = await openClient(context, inbox);
  try {
    return (await client.me()).handle;
  } catch (error) {
    if (error instanceof PreturnError && error.code === 'bad_reply') return inbox.handle;
    throw error;
  } finally {
    await client.close();
  }
}
