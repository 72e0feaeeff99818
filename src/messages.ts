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
} as const;

/** One line to the human when a state changes; never repeated while the state lasts. */
export const notices = {
  lost: (origin: string) => `preturn: no answer from ${origin}; mail waits there, nothing is lost.`,
  back: (origin: string) => `preturn: ${origin} answers again.`,
  refused: (origin: string) => `preturn: ${origin} refused the token or identity; run \`preturn doctor\`.`,
  garbage: (origin: string) => `preturn: ${origin} answers, but not like a relay; run \`preturn doctor\`.`,
  withheld: (count: number) =>
    `preturn: ${count} message${count === 1 ? '' : 's'} from unknown senders withheld by trust.yaml; see \`preturn inbox\`.`,
  trust: () => 'preturn: trust.yaml is not valid; mail waits until it is mended, see `preturn doctor`.',
  config: () => 'preturn: the configuration is not valid; run `preturn doctor`.',
  stuck: (seqs: readonly number[]) =>
    seqs.length === 1
      ? `preturn: message ${seqs[0]} was printed four times without proof that it was shown; run \`preturn read ${seqs[0]}\`.`
      : `preturn: ${seqs.length} messages were printed four times without proof that they were shown; see \`preturn inbox\`.`,
} as const;
