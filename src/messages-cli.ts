import { PreturnError } from './errors.ts';

/**
 * The sentences of the command line, apart from messages.ts so that the hook's bundle does not carry them.
 * `cliFailures` end a command; what commands print is in messages-says.ts, doctor's in messages-doctor.ts.
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
