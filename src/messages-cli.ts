import { span } from './core/item.ts';
import { PreturnError } from './errors.ts';

/**
 * The sentences of the command line, apart from messages.ts so that the hook's bundle does not carry them.
 * `cliFailures` end a command, `says` is what commands print; doctor has its own in messages-doctor.ts.
 */

/** A user's own argument in a message: one line, not too long. */
function quoted(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

const either = (all: readonly string[]) => all.join(', ');
const usage = (message: string, hint?: string) =>
  new PreturnError('bad_input', message, hint === undefined ? {} : { hint });

export const cliFailures = {
  // Arguments.
  notANumber: (name: string, value: string, min: number, max: number) =>
    usage(`${name} must be a whole number from ${min} to ${max}, not ${quoted(value)}.`),
  notADuration: (name: string, value: string) =>
    usage(`${name} must be a time like 90s, 15m, 2h or 7d, not ${quoted(value)}.`),
  notOneOf: (name: string, value: string, all: readonly string[]) =>
    usage(`${name} must be one of ${either(all)}, not ${quoted(value)}.`),
  notAKind: (value: string, all: readonly string[]) =>
    usage(`--kind must be one of ${either(all)}, not ${quoted(value)}.`),
  notARight: (value: string, all: readonly string[]) =>
    usage(`${quoted(value)} is no right.`, `Rights are ${either(all)}, separated by commas.`),
  notAScope: (value: string, all: readonly string[]) =>
    usage(`--scope must be one of ${either(all)}, not ${quoted(value)}.`),
  unknownClient: (value: string, all: readonly string[]) =>
    usage(`preturn does not know the client ${quoted(value)}.`, `It knows ${either(all)}.`),
  unknownKey: (value: string, all: readonly string[]) =>
    usage(`${quoted(value)} is no key of the configuration.`, `Keys are ${either(all)}.`),
  noSuchSource: (value: string, all: readonly string[]) =>
    usage(`There is no source ${quoted(value)}.`, `Configured are: ${either(all)}.`),
  ackOneOf: () =>
    usage(
      'Say what to acknowledge, in one way.',
      'Give one sequence, or --through SEQ, or --all; `preturn inbox` shows them.',
    ),
  noBody: () =>
    usage('The message has no body.', 'Give it as the second argument, or pipe it: `echo hello | preturn send bob -`.'),
  stdinTooLarge: (limit: number) => new PreturnError('too_large', `More than ${limit} bytes came on stdin.`),
  stdinNotUtf8: () => usage('What came on stdin is not UTF-8 text.', 'Convert it first, for example with iconv.'),

  // Messages.
  noSuchMessage: (seq: number, source: string) =>
    new PreturnError('not_found', `There is no message ${seq} to be seen in the inbox ${source}.`, {
      hint: 'It may have expired, or belong to another source (`--source`). `preturn inbox` lists what waits.',
    }),
  withheld: (seq: number) =>
    new PreturnError('not_found', `Message ${seq} is withheld: trust.yaml does not let its sender through.`, {
      hint: 'Add the sender to trust.yaml if its mail is wanted.',
    }),
  ackIgnored: (seq: number, cursor: number) =>
    new PreturnError('conflict', `The relay did not acknowledge up to ${seq}; it stands at ${cursor}.`, {
      hint: 'Its store may have been replaced meanwhile. Look at `preturn inbox` and try again.',
    }),
  inboxBusy: (origin: string) =>
    new PreturnError('busy', `A turn is working on the inbox at ${origin}.`, { hint: 'Try again in a moment.' }),

  // Relays and identities.
  noRelay: () =>
    usage('No relay is named.', 'Give --url http(s)://HOST[:PORT] or --url file:/PATH, or set PRETURN_URL.'),
  clearText: (origin: string) =>
    usage(`The token would travel to ${origin} in clear text.`, 'Use https, or allow it with --insecure-http.'),
  noAdmin: (origin: string) =>
    new PreturnError('unauthenticated', `None of the stored identities at ${origin} is the administrator.`, {
      hint: `Run \`preturn login --url ${origin} --admin --token-stdin\` with its token, or name one with --as.`,
    }),
  tokenByStdin: (origin: string) =>
    usage(
      'A token is read from stdin only: arguments stand in process lists and shell histories.',
      `Run: preturn login --url ${origin} --token-stdin < token-file`,
    ),
  agentOnlyForFiles: () =>
    usage('--agent is for file: relays; at an HTTP relay the token says who you are.', 'Leave --agent out.'),
  fileNeedsAgent: () =>
    usage(
      'A file: relay needs to be told who you are.',
      'Add --agent HANDLE; `preturn agent list --url file:…` shows them.',
    ),
  fileNeedsNoToken: () =>
    usage('A file: relay takes no token: access to the file decides.', 'Leave --token-stdin out.'),
  noTokenGiven: () =>
    usage('No token came on stdin.', 'Pipe it in: `preturn login --url URL --token-stdin < token-file`.'),
  notAToken: () =>
    usage('What came on stdin is not a token: it holds blanks or other characters that tokens do not have.'),
  cannotDrain: (origin: string) =>
    new PreturnError('forbidden', `The token is good at ${origin}, but may not drain an inbox.`, {
      hint: 'For an administrator’s token add --admin; otherwise ask for a token with the right `drain`.',
    }),
  publicBind: (host: string) =>
    usage(
      `Listening on ${quoted(host)} would send tokens and mail over the network in clear text.`,
      'Listen on 127.0.0.1 (behind a TLS proxy if need be), or allow it with --insecure-http.',
    ),
  portTaken: (host: string, port: number) =>
    new PreturnError('busy', `Port ${port} on ${host} is in use.`, {
      hint: 'Stop the other program, or choose another with --port (0 takes any free one).',
    }),
  cannotListen: (host: string, port: number, why: string) =>
    new PreturnError('bad_input', `The relay cannot listen on ${host}:${port}: ${why}.`, {
      hint: 'Check --host and --port.',
    }),
  internal: (why: string) =>
    new PreturnError('internal', `preturn failed: ${why}.`, {
      hint: 'This should not happen. Run it again with PRETURN_DEBUG=1 for the details, and please report them.',
    }),

  // Configuration and credentials.
  configNotJson: (file: string, line: number, column: number, why: string) =>
    new PreturnError(
      'config_invalid',
      `The configuration ${file} is not JSON: ${why} at line ${line}, column ${column}.`,
      {
        hint: 'Correct the file by hand; it was left as it is.',
      },
    ),
  configNewer: (file: string, version: unknown) =>
    new PreturnError(
      'config_invalid',
      `The configuration ${file} has version ${String(version)}; this preturn knows 1.`,
      {
        hint: 'Update preturn.',
      },
    ),
  configBusy: (path: string) =>
    new PreturnError('busy', 'Another preturn process is editing the configuration.', {
      hint: `Try again; if it lasts and no preturn runs, remove ${path}.`,
    }),
  fileTrouble: (what: string, file: string, why: string, cause?: unknown) =>
    new PreturnError('internal', `${what} ${file} failed: ${why}.`, {
      hint: 'Check the path, its permissions and the free space on the disk.',
      cause,
    }),

  // Settings of the agent clients.
  settingsUnparsable: (file: string, line: number, column: number, why: string) =>
    new PreturnError(
      'settings_unparsable',
      `${file} cannot be edited safely: line ${line}, column ${column}: ${why}.`,
      {
        hint: 'It was left as it is. Correct it, then run the command again.',
      },
    ),
  settingsNotAFile: (file: string, why: string) =>
    new PreturnError('settings_unparsable', `${file} cannot be edited: ${why}.`, {
      hint: 'Nothing was changed. Put a regular file there, or move it away.',
    }),
  pathNotQuotable: (path: string) =>
    new PreturnError('bad_input', `The launcher’s path ${path} holds a character that shells interpret.`, {
      hint: 'Set PRETURN_DATA_DIR to a directory without quotes, dollar signs and backslashes.',
    }),
  noBundle: (file: string) =>
    new PreturnError('internal', `The hook’s bundle ${file} is missing.`, {
      hint: 'Run `npm run build` in the package, or install preturn again.',
    }),
  settingsDiffer: (file: string) =>
    new PreturnError('internal', `The edit of ${file} would have changed more than preturn’s own entries.`, {
      hint: 'Nothing was changed. Please report it with the shape of the file; until then edit it by hand.',
    }),
  settingsMoving: (file: string) =>
    new PreturnError('busy', `${file} keeps changing while it is edited.`, {
      hint: 'Nothing was changed. Close the programs that write it and try again.',
    }),
} as const;

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
    `Added ${handle}. To be it on this machine:\n  preturn login --url ${url} --agent ${handle}`,
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
