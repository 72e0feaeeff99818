import { z } from 'zod';
import type { PreturnError } from '../errors.ts';
import { relayFailures } from '../messages-relay.ts';
import { KINDS, LIMITS } from './limits.ts';
import { RIGHTS } from './principal.ts';

/**
 * The strict schemas of every verb, shared by the surfaces. Unknown keys are errors (rule 29): ignoring them would hide
 * a caller who believes that `agent_id` means something. Field texts are read by models through tools/list.
 */
const sequence = z.int().min(0);
const id = z.string().min(1).max(LIMITS.messageId);

export const PullInput = z.strictObject({
  since: sequence
    .optional()
    .describe(
      'Page floor: return deliveries with delivery_seq > since, overriding your stored cursor. A lower value shows acknowledged deliveries again.',
    ),
  ack: sequence
    .optional()
    .describe(
      'Acknowledge up to this delivery_seq, normally the previous window_high. Never rewinds; clamped to the window this call examines; applied before this page is read.',
    ),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe('Rows to examine, clamped down to the server’s cap. Size it to your context-injection budget.'),
});

export const OpenInput = z.strictObject({
  last_seen: z
    .string()
    .optional()
    .describe(
      'RFC 3339 timestamp: items delivered strictly after it. Empty or omitted gives your full delivery history.',
    ),
});

export const SendInput = z.strictObject({
  recipientAgentId: z
    .string()
    .min(1)
    .max(256)
    .describe('The peer’s agent id (or its handle): an active agent in your tenant.'),
  kind: z.enum(KINDS).describe('Intent label the reader triages on.'),
  body: z.string().min(1).max(LIMITS.body).describe('The message, written for a peer with no view of your session.'),
  threadId: id.optional().describe('Continue an existing exchange instead of starting a new one.'),
  inReplyTo: id.optional().describe('The messageId this one answers.'),
  taskId: z.string().min(1).max(LIMITS.taskId).optional().describe('Ties the message to a ticket or task.'),
  messageId: id.optional().describe('Idempotency key of your own: a retry with it never delivers twice.'),
  ttlSeconds: z
    .int()
    .min(LIMITS.ttl.min)
    .max(LIMITS.ttl.max)
    .optional()
    .describe('How long the message survives unread; 7 days by default.'),
});

export const NoInput = z.strictObject({});

const scopes = z.array(z.string().min(1).max(LIMITS.scope)).min(1).max(LIMITS.scopes);
const TokenFields = {
  rights: z.array(z.enum(RIGHTS)).min(1).optional(),
  label: z.string().min(1).max(LIMITS.label).optional(),
  /** Seconds from now. */
  ttlSeconds: z
    .int()
    .min(1)
    .max(10 * 365 * 86_400)
    .optional(),
};

export const AddAgentInput = z.strictObject({
  handle: z.string().min(1).max(129),
  readScopes: scopes.optional(),
  ...TokenFields,
});

export const IssueTokenInput = z.strictObject({ scopes: scopes.optional(), ...TokenFields });

/** Parses or throws `bad_input` naming the field and the reason; nothing has happened then (rule 28). */
export function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw inputError(result.error);
}

function inputError(error: z.ZodError): PreturnError {
  const reasons = error.issues.slice(0, 5).map(issue => {
    const where = issue.path.map(String).join('.');
    return where === '' ? issue.message : `${where}: ${issue.message}`;
  });
  return relayFailures.badInput(
    `The arguments are not valid: ${reasons.join('; ')}.`,
    'Correct or leave out what is named.',
  );
}
