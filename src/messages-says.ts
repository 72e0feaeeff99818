import { span } from './core/item.ts';

interface Installed {
  readonly file: string;
  readonly launcher: string;
  readonly action: string;
}

export const says = {
  // send
  duplicate: () => 'Sent before under this id; nothing new was delivered.',
  repeatWith: (id: string, hint: string | undefined) =>
    `${hint === undefined ? '' : `${hint} `}The message may have arrived: repeat it with --id ${id}, then it is never delivered twice.`,
  notReading: (handle: string, age: number | undefined, pending: number) =>
    age === undefined
      ? `${handle} has never read its inbox yet; ${pending} wait there.`
      : `${handle} last read its inbox ${span(age)} ago; ${pending} wait there.`,

  // inbox, read, ack
  inboxEmpty: (withheld: number) =>
    withheld === 0 ? 'No messages wait.' : `No messages to show; ${withheld} withheld by trust.yaml.`,
  inboxFoot: (facts: { cursor: number; left: number; more: boolean; withheld: number }) =>
    [
      `Acknowledged up to ${facts.cursor}. \`preturn read SEQ\` shows one whole.`,
      ...(facts.left > 0 || facts.more ? ['More wait: raise --limit.'] : []),
      ...(facts.withheld > 0 ? [`${facts.withheld} withheld by trust.yaml.`] : []),
    ].join(' '),
  expiry: (ms: number) => (ms > 0 ? `in ${span(ms)}` : 'past'),
  unreadable: (why: string) => `(unreadable: ${why})`,
  alreadyAcked: (seq: number, cursor: number) => `${seq} is acknowledged already: the inbox stands at ${cursor}.`,
  settled: (seq: number, cursor: number, waitsFor: number | undefined) =>
    cursor >= seq
      ? `${seq} is settled; the inbox stands at ${cursor}.`
      : `${seq} is settled and will not be shown again. It is acknowledged once ${waitsFor ?? 'what lies below'} is.`,
  nothingToAck: (cursor: number) => `Nothing to acknowledge: the inbox stands at ${cursor}.`,
  ackedThrough: (cursor: number, messages: number) =>
    `Acknowledged up to ${cursor} (${messages} ${messages === 1 ? 'message' : 'messages'}). \`preturn read SEQ\` still shows each.`,

  // relay
  relayStarted: (url: string, store: string) =>
    `The relay serves ${url} from ${store}.${store === ':memory:' ? ' Its mail is gone when it ends.' : ''} Ctrl-C ends it.`,
  adminToken: (url: string, token: string) =>
    [
      'The store is new. Its administrator’s token, shown this once:',
      `  ${token}`,
      'Keep it, then add agents:',
      `  preturn login --url ${url} --admin --token-stdin`,
      `  preturn agent add NAME --url ${url}`,
    ].join('\n'),

  // login, agent
  pasteToken: () => 'Paste the token and press Enter (it is not shown):',
  loggedIn: (handle: string, origin: string, source: string) =>
    `Logged in at ${origin} as ${handle}; the source ${source} drains its inbox.`,
  loggedInAdmin: (handle: string, origin: string) =>
    `Stored ${handle}’s token for ${origin}; no inbox is drained with it.`,
  agentAdded: (handle: string, url: string, token: string) =>
    [
      `Added ${handle}. Its token, shown this once:`,
      `  ${token}`,
      'On its machine:',
      `  preturn login --url ${url} --token-stdin`,
    ].join('\n'),
  agentAddedToFile: (handle: string, url: string) =>
    `Added ${handle}. To be it on this machine:\n  preturn login --url ${url} --agent ${handle}\nA token, for when the file is also served, is shown with --json.`,
  agentRevoked: (handle: string) => `Revoked ${handle}: its tokens stop at once, and its name stays taken.`,
  noAgents: () => 'There are no agents yet: `preturn agent add NAME`.',

  // install, uninstall
  installed: (title: string, { file, launcher, action }: Installed) =>
    ({
      installed: `Installed the hook for ${title} in ${file} (it runs ${launcher}).`,
      updated: `Brought the hook for ${title} up to date in ${file} (it runs ${launcher}).`,
      unchanged: `The hook for ${title} is installed in ${file}; nothing to change there.`,
    })[action] ?? action,
  uninstalled: (title: string, { file, action }: Installed) =>
    action === 'removed' ? `Removed the hook for ${title} from ${file}.` : `There is no hook of ours in ${file}.`,
  afterInstall: {
    'claude-code': (scope: string) => [
      'Restart open Claude Code sessions: they read their settings at start.',
      ...(scope === 'project'
        ? ['The file is the project’s: who shares it needs preturn too, and loses nothing without.']
        : []),
    ],
    codex: (scope: string) => [
      'Codex runs a hook only after you have trusted it, and `codex exec` skips it silently until then:',
      'start `codex` once and accept it at the prompt (or under /hooks). preturn does not do that for you.',
      'Restart open Codex sessions.',
      ...(scope === 'project' ? ['Codex reads a project’s hooks only when the project itself is trusted.'] : []),
    ],
  },
  alsoPlugin: (title: string) =>
    `${title} has the preturn plugin too. Mail is shown once all the same; one of the two is enough.`,
  noSourceYet: () => 'No inbox is configured yet: `preturn login --url URL --token-stdin`.',
  fromNpxCache: () =>
    'preturn runs from npx’s cache, which may be cleared: install it for good with `npm install -g preturn`.',
  planNothing: (file: string) => `Nothing would change in ${file}.`,
  planHead: (file: string, launcher: string, action: string, created: boolean, deleted: boolean) =>
    [
      `${created ? 'Would create' : deleted ? 'Would remove' : 'Would change'} ${file}:`,
      ...(action === 'removed' ? [] : [`(and write the launcher ${launcher})`]),
    ].join('\n'),

  // config, status
  configSet: (key: string, value: string, now: { readonly value: unknown; readonly from: string }) =>
    now.from === 'config.json' || String(now.value) === value
      ? `${key} is ${value}.`
      : `${key} is ${value} in config.json, but ${now.from} makes it ${String(now.value)} here.`,
  configUnset: (key: string, value: string) => `${key} is not set any more; ${value === '' ? 'nothing' : value} holds.`,
  paused: () => 'Paused: hooks end before any work. Mail waits. `preturn resume` ends it.',
  resumed: () => 'Hooks work again.',
  envBeatsSources: (url: string) => `PRETURN_URL is set: ${url} is the only inbox of this shell.`,
  sourceLine: (index: number, name: string, url: string, agent: string | undefined, token: string) =>
    `source ${index}  ${name}  ${url}  as ${agent ?? 'the only identity there'}${url.startsWith('file:') ? '' : `  token ${token}`}`,
  noSources: () => 'No source: `preturn login` adds one.',
  directories: ({ config, state, data }: { config: string; state: string; data: string }) =>
    `config ${config}\nstate  ${state}\ndata   ${data}`,
  statusPaused: () => 'Paused (`preturn resume`).',
  statusInbox: (one: {
    index: number;
    name: string;
    origin: string;
    handle: string;
    pending?: number;
    more?: boolean;
    cursor?: number;
    problem?: string;
  }) =>
    one.problem === undefined
      ? `inbox ${one.index}  ${one.name}: ${one.pending}${one.more ? '+' : ''} waiting for ${one.handle || 'this identity'} at ${one.origin}, acknowledged up to ${one.cursor}`
      : `inbox ${one.index}  ${one.name}: ${one.problem}`,
  statusClient: (title: string, places: readonly string[]) =>
    `${title}: ${places.length === 0 ? 'no hook' : `hook in ${places.join(' and ')}`}`,
  statusRun: (run: { ago: number; outcome: string; client: string | null; event: string | null }) =>
    `last run of ${run.client ?? 'an unknown client'}: ${span(run.ago)} ago, ${run.event ?? ''} ${run.outcome}`.replace(
      / {2,}/g,
      ' ',
    ),
} as const;
