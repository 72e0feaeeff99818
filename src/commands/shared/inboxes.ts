import { readConfig, readProject, resolveInboxes } from '../../config/load.ts';
import { packageDir } from '../../lib/package.ts';
import { failures } from '../../messages.ts';
import { cliFailures } from '../../messages-cli.ts';
import { type Inbox, openSource } from '../../sources/index.ts';
import type { Source } from '../../sources/source.ts';
import type { Context } from './context.ts';
import { text } from './options.ts';

/** A person waits this long for one relay, ms. */
export const PATIENCE_MS = 10_000;

/** An inbox with its 1-based place in the configuration, by which commands name it. */
export interface Placed {
  readonly inbox: Inbox;
  readonly index: number;
  readonly manySources: boolean;
}

/** Every inbox of this directory and user. @throws as resolveInboxes; `config_invalid` when there is none */
export function allInboxes(context: Context): Placed[] {
  const { env, cwd } = context;
  const inboxes = resolveInboxes(readConfig(env), readProject(cwd), env, { cwd, bindingFirst: false });
  if (inboxes.length === 0) throw failures.noSource();
  return inboxes.map((inbox, at) => ({ inbox, index: at + 1, manySources: inboxes.length > 1 }));
}

/** The inbox that `--source` names by number or name; the first without it. @throws `bad_input` */
export function chosenInbox(context: Context): Placed {
  const all = allInboxes(context);
  const wanted = text(context, 'source');
  const found =
    wanted === undefined ? all[0] : all.find(({ inbox, index }) => inbox.name === wanted || String(index) === wanted);
  if (!found) {
    throw cliFailures.noSuchSource(
      wanted ?? '',
      all.map(({ inbox, index }) => `${index} ${inbox.name}`),
    );
  }
  return found;
}

/** The adapter that the hook uses, with a person's patience. */
export function sourceOf(context: Context, inbox: Inbox): Source {
  return openSource(inbox, {
    env: context.env,
    left: () => PATIENCE_MS,
    now: () => context.now(),
    packageDir: packageDir(),
  });
}
