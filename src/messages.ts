import { PreturnError } from './errors.ts';

/**
 * Every sentence a person may read, in one place. A failure says what happened, why, and what to do next;
 * a notice is the one line a harness shows when a state changes.
 */
export const failures = {
  configInvalid: (file: string, why: string) =>
    new PreturnError('config_invalid', `The configuration ${file} is not valid: ${why}.`, {
      hint: 'Correct the file, or see `preturn config` for what it may hold.',
    }),
  credentialsUnsafe: (file: string, mode: string) =>
    new PreturnError('credentials_unsafe', `The credentials in ${file} are readable by others (mode ${mode}).`, {
      hint: `Run: chmod 600 ${file}`,
    }),
  noSource: () =>
    new PreturnError('config_invalid', 'No inbox is configured.', {
      hint: 'Run `preturn login --url URL --token-stdin`, or set PRETURN_URL and PRETURN_TOKEN.',
    }),
  noAgent: (url: string) =>
    new PreturnError('config_invalid', `No identity is named for ${url}.`, {
      hint: 'Run `preturn login --url URL --agent HANDLE`, or set PRETURN_AGENT.',
    }),
  severalIdentities: (origin: string) =>
    new PreturnError('config_invalid', `There are several identities for ${origin}, and none is chosen.`, {
      hint: 'Name one as `agent` of the source, or bind the project directory to one.',
    }),
  badUrl: (url: string, why: string) =>
    new PreturnError('config_invalid', `The relay address ${url} cannot be used: ${why}.`, {
      hint: 'Use http(s)://HOST[:PORT] or file:/ABSOLUTE/PATH.',
    }),
  noCredential: (origin: string) =>
    new PreturnError('unauthenticated', `There is no token for ${origin}.`, {
      hint: `Run \`preturn login --url ${origin} --token-stdin\`.`,
    }),
  capTooSmall: () =>
    new PreturnError('config_invalid', 'The cap cannot hold the frame and one digest.', {
      hint: 'Raise maxTokens to at least 300 and maxBytes to at least 1200.',
    }),
  unreachable: (origin: string, why: string, cause?: unknown) =>
    new PreturnError('unreachable', `The relay at ${origin} does not answer: ${why}.`, {
      cause,
      hint: 'Check that it runs and that the address is right: `preturn doctor`.',
    }),
  timeout: (origin: string) =>
    new PreturnError('timeout', `The relay at ${origin} did not answer in time.`, {
      hint: 'Check its load with `preturn doctor`, or raise budgetMs.',
    }),
  refused: (origin: string) =>
    new PreturnError('unauthenticated', `The relay at ${origin} refused the token.`, {
      hint: `Ask its administrator for a new one, then run \`preturn login --url ${origin} --token-stdin\`.`,
    }),
  forbidden: (origin: string) =>
    new PreturnError('forbidden', `The token may not do this at ${origin}.`, {
      hint: 'Ask the relay’s administrator for a token with the right it needs.',
    }),
  badReply: (origin: string, why: string) =>
    new PreturnError('bad_reply', `The answer of ${origin} is not an inbox page: ${why}.`, {
      hint: 'Check that the URL is a relay’s and not a web page’s: `preturn doctor`.',
    }),
  replyTooLarge: (origin: string) =>
    new PreturnError('too_large', `The answer of ${origin} is larger than 16 MB.`, {
      hint: 'Lower `limit` in the configuration.',
    }),

  // The relay and its store.
  storeBusy: (path: string, cause: unknown) =>
    new PreturnError('busy', `The store ${path} is locked by another process.`, {
      hint: 'Try again; if it lasts, look for a process that holds the file open.',
      cause,
    }),
  storeUnavailable: (path: string, why: string, cause: unknown) =>
    new PreturnError('store_unavailable', `The store ${path} cannot be used: ${why}.`, {
      hint: 'Check the path, its permissions and the free space on the disk.',
      cause,
    }),
  storeNewer: (path: string, found: number, known: number) =>
    new PreturnError(
      'store_unavailable',
      `The store ${path} was written by a newer preturn (schema ${found}; this one knows ${known}).`,
      { hint: 'Update preturn, or use another store.' },
    ),
  storeName: (store: string) =>
    new PreturnError('bad_input', `The store ${store} is not known.`, {
      hint: 'Use `:memory:` or `sqlite:/absolute/path/relay.db`.',
    }),
  nulInText: () =>
    new PreturnError('bad_input', 'Text may not contain the NUL character.', {
      hint: 'Remove U+0000 from the text and send it again.',
    }),
  badInput: (why: string, hint?: string) => new PreturnError('bad_input', why, hint === undefined ? {} : { hint }),
  noToken: () =>
    new PreturnError('unauthenticated', 'The request carries no valid token.', {
      hint: 'Send `Authorization: Bearer TOKEN` with a token that is neither revoked nor expired.',
    }),
  noRight: (right: string) =>
    new PreturnError('forbidden', `The token does not have the right \`${right}\`.`, {
      hint: 'Ask the relay’s administrator for a token that has it.',
    }),
  peekOnly: () =>
    new PreturnError('forbidden', 'A token that reads less than its agent may peek, but never acknowledge.', {
      hint: 'Pull without `ack`, or use a token without scopes of its own.',
    }),
  recipientNotFound: () =>
    new PreturnError('recipient_not_found', 'There is no such active agent in your tenant.', {
      hint: 'See `list_agents` (or `GET /v1/agents`) for the agents you can write to.',
    }),
  agentNotFound: (agent: string) =>
    new PreturnError('not_found', `There is no agent ${agent}.`, { hint: 'List them with `preturn agent list`.' }),
  tokenNotFound: (id: string) => new PreturnError('not_found', `There is no token with the id ${id}.`),
  handleTaken: (handle: string) =>
    new PreturnError('conflict', `The handle ${handle} names an agent already, or did once.`, {
      hint: 'Choose another; handles are never reused.',
    }),
  inboxFull: (limit: number) =>
    new PreturnError('recipient_inbox_full', `The recipient has ${limit} undelivered messages; no more are accepted.`, {
      hint: 'Wait until the recipient has read some, then send it again with the same messageId.',
    }),
  pairFull: (limit: number) =>
    new PreturnError('pair_limit_exceeded', `The recipient has ${limit} undelivered messages from you alone.`, {
      hint: 'Wait until the recipient has read some, then send it again with the same messageId.',
    }),
  routeNotFound: (method: string, path: string) =>
    new PreturnError('not_found', `There is nothing at ${method} ${path}.`, {
      hint: 'The inbox is at POST /v1/inbox:pull, MCP at /mcp.',
    }),
  bodyTooLarge: (limit: number) =>
    new PreturnError('too_large', `The request body is larger than ${limit} bytes.`, { hint: 'Send less at once.' }),
  badHost: (host: string) =>
    new PreturnError('forbidden', `This relay does not serve the host ${host}.`, {
      hint: 'Use its address, or name the host in `allowedHosts`.',
    }),
  badOrigin: () =>
    new PreturnError('forbidden', 'Requests from this web origin are refused.', {
      hint: 'Call the relay from a program, or from a page on the relay’s own host.',
    }),
  publicBind: (host: string) =>
    new PreturnError('bad_input', `Listening on ${host} would send tokens and mail over the network in clear text.`, {
      hint: 'Listen on 127.0.0.1, or allow it with `insecureHttp: true`.',
    }),
} as const;

/** One line to the human when a state changes; never repeated while the state lasts. */
export const notices = {
  lost: (origin: string) => `preturn: no answer from ${origin}; mail waits there, nothing is lost.`,
  back: (origin: string) => `preturn: ${origin} answers again.`,
  refused: (origin: string) => `preturn: ${origin} refused the token; run \`preturn doctor\`.`,
  garbage: (origin: string) => `preturn: ${origin} answers, but not like a relay; run \`preturn doctor\`.`,
  withheld: (count: number) =>
    `preturn: ${count} message${count === 1 ? '' : 's'} from unknown senders withheld by trust.yaml; see \`preturn inbox\`.`,
  trust: () => 'preturn: trust.yaml is not valid; mail waits until it is mended, see `preturn doctor`.',
  config: () => 'preturn: the configuration is not valid; run `preturn doctor`.',
  stuck: (seq: number) =>
    `preturn: message ${seq} was printed four times without proof that it was shown; run \`preturn read ${seq}\`.`,
} as const;

/** Failures of the command line alone: a constant of its own, so that the hook's bundle does not carry them. */
export const cliFailures = {
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
