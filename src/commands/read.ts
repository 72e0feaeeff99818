import { span } from '../core/item.ts';
import { sanitizeLine, sanitizeText } from '../core/sanitize.ts';
import type { Delivery } from '../delivery.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import type { Context, Result } from './shared/context.ts';
import { framed } from './shared/frame.ts';
import { chosenInbox, PATIENCE_MS, sourceOf } from './shared/inboxes.ts';
import { integer } from './shared/options.ts';
import { sortByTrust } from './shared/trusted.ts';

/** `preturn read <seq>`: one message whole, acknowledged or not; it changes nothing. */
export async function run(context: Context): Promise<Result> {
  const seq = integer('seq', context.args[0]!, 1, Number.MAX_SAFE_INTEGER);
  const placed = chosenInbox(context);
  const { inbox } = placed;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const pull = sourceOf(context, inbox).pull({ since: seq - 1, limit: 1 }, signal);
  const page = await context.waiting(inbox.origin, pull);
  const found = page.deliveries.find(delivery => delivery.seq === seq);
  if (!found) throw cliFailures.noSuchMessage(seq, inbox.name);
  if (sortByTrust(context, [found]).shown.length === 0) throw cliFailures.withheld(seq);
  const { deliveredAt, expiresAt, ...rest } = found;
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  const framing = { ...placed, deliveries: [found], whole: true, left: 0, more: false, withheld: 0 };
  return {
    data: { ...rest, deliveredAt: iso(deliveredAt), expiresAt: iso(expiresAt) },
    text: context.terminal ? forPeople(context, found) : framed({ ...framing, now: context.now() }),
  };
}

function forPeople(context: Context, item: Delivery): string {
  const now = context.now();
  const line = (text: string) => decoded(sanitizeLine(text.slice(0, 400)));
  const head: [string, string | undefined][] = [
    ['From', line(item.sender || item.senderId)],
    ['Kind', line(item.kind)],
    ['Age', item.deliveredAt === undefined ? undefined : span(now - item.deliveredAt)],
    ['Expires', item.expiresAt === undefined ? undefined : says.expiry(item.expiresAt - now)],
    ['Thread', item.threadId === undefined ? undefined : line(item.threadId)],
    ['Task', item.taskId === undefined ? undefined : line(item.taskId)],
  ];
  const lines = head.filter(([, value]) => value).map(([name, value]) => `${`${name}:`.padEnd(9)}${value}`);
  const body = item.unreadable === undefined ? decoded(sanitizeText(item.body)) : says.unreadable(item.unreadable);
  return `${lines.join('\n')}\n\n${body}`;
}

/** For eyes, not for models: the sanitiser's entities back to brackets; controls stay out. */
function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#91;', '[');
}
