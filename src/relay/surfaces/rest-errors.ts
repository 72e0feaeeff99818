import type { FastifyError } from 'fastify';
import { edges, PreturnError } from '../../errors.ts';
import { relayFailures } from '../../messages-relay.ts';
import { LIMITS } from '../limits.ts';
import { publicError } from './wire.ts';

/** An AIP-193 error envelope. */
export interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly message: string;
    readonly details: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Any thrown value as HTTP status, headers and AIP-193 body. */
export function restError(error: unknown): { status: number; headers: Record<string, string>; body: ErrorBody } {
  const { code, message, hint } = publicError(fromFastify(error));
  const { http, status } = edges(code);
  const httpStatus = unsupportedMedia(error) ? 415 : http;
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: code.toUpperCase(),
      domain: 'preturn',
      ...(hint !== undefined && { metadata: { hint } }),
    },
  ];
  return {
    status: httpStatus,
    headers: {
      ...(httpStatus === 401 && { 'www-authenticate': 'Bearer' }),
      ...(httpStatus === 429 && { 'retry-after': '60' }),
      ...(code === 'busy' && { 'retry-after': '1' }),
    },
    body: { error: { code: httpStatus, status, message, details } },
  };
}

const unsupportedMedia = (error: unknown) => (error as FastifyError | undefined)?.statusCode === 415;

function fromFastify(error: unknown): unknown {
  if (error instanceof PreturnError) return error;
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
