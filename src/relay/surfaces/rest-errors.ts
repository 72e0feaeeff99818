import type { FastifyError } from 'fastify';
import { codeOf, type ErrorCode, edges, PreturnError } from '../../errors.ts';
import { relayFailures } from '../../messages-relay.ts';
import { LIMITS } from '../limits.ts';

/** An AIP-193 error envelope. */
export interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly message: string;
    readonly details: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Any thrown value as HTTP status and AIP-193 body. What we did not throw ourselves says nothing of its cause. */
export function restError(error: unknown): { status: number; body: ErrorBody } {
  const known = error instanceof PreturnError ? error : fromFastify(error);
  const code: ErrorCode = codeOf(known);
  const { http, status } = edges(code);
  const httpStatus = unsupportedMedia(error) ? 415 : http;
  const message = known instanceof PreturnError ? known.message : 'The relay failed.';
  const hint = known instanceof PreturnError ? known.hint : 'See the relay’s log.';
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: code.toUpperCase(),
      domain: 'preturn',
      ...(hint !== undefined && { metadata: { hint } }),
    },
  ];
  return { status: httpStatus, body: { error: { code: httpStatus, status, message, details } } };
}

const unsupportedMedia = (error: unknown) => (error as FastifyError | undefined)?.statusCode === 415;

function fromFastify(error: unknown): unknown {
  const { statusCode, code, message } = (error ?? {}) as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return relayFailures.bodyTooLarge(LIMITS.requestBody);
  if (unsupportedMedia(error)) {
    return relayFailures.badInput('The body must be JSON.', 'Send it with `Content-Type: application/json`.');
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return relayFailures.badInput(`The request cannot be read: ${message ?? 'malformed'}.`);
  }
  return error;
}
