import { PreturnError } from './errors.ts';

/** Failures of the relay and its store: a file of its own, so that the hook's bundle does not carry them. */
export const relayFailures = {
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
