import { codeOf, type ErrorCode, PreturnError } from '../../errors.ts';
import { relayFailures } from '../../messages-relay.ts';
import type { AgentInfo } from '../agents.ts';
import type { PullResult } from '../pull.ts';

/** What several surfaces say alike. */

/** The stored items joined, never parsed: re-encoding them would cost more than all the rest (2.5 × the route). */
export function pageJson({ itemsJson, cursor, windowHigh, hasMore }: PullResult): string {
  return `{"items":[${itemsJson.join(',')}],"cursor":${cursor},"window_high":${windowHigh},"has_more":${hasMore}}`;
}

export function openJson({ itemsJson }: { readonly itemsJson: readonly string[] }): string {
  return `{"items":[${itemsJson.join(',')}]}`;
}

/** What agents may know of each other. */
export function peer({ agentId, handle, status, lastPulledAt, pending }: AgentInfo) {
  const lastPulled = lastPulledAt === null ? null : new Date(lastPulledAt).toISOString();
  return { agentId, handle, status, lastPulledAt: lastPulled, pending };
}

/**
 * What travels beside the seed's envelope, never in it (S000-20): REST sends the names as headers `preturn-*`,
 * MCP as `_meta` keys `preturn/*`.
 */
export function beside({ epoch, windowRow, ack }: PullResult): Record<string, string> {
  return {
    epoch,
    ...(windowRow && { 'window-row': `${windowRow.seq}:${windowRow.id}` }),
    ...(ack && { ack }),
  };
}

/** `<seq>:<delivery id>`, the row that guards an ack. Throws `bad_input`. */
export function parseRow(text: string): { seq: number; id: string } {
  const match = /^(\d{1,16}):([\x21-\x7e]{1,128})$/.exec(text);
  const seq = Number(match?.[1]);
  if (match === null || !Number.isSafeInteger(seq)) {
    throw relayFailures.badInput('The row that guards an ack is not `<seq>:<delivery id>`.');
  }
  return { seq, id: match[2]! };
}

/**
 * Any thrown value as a peer may see it. What we did not throw ourselves, and what the store says of its file,
 * stays in the relay's log: peers learn only what they can do.
 */
export function publicError(error: unknown): { code: ErrorCode; message: string; hint: string | undefined } {
  const code = codeOf(error);
  if (code === 'busy') return { code, message: 'The relay’s store is busy.', hint: 'Try again in a second.' };
  if (code === 'store_unavailable') {
    return { code, message: 'The relay’s store cannot be used.', hint: 'Its administrator sees the cause in its log.' };
  }
  if (!(error instanceof PreturnError) || code === 'internal') {
    return { code, message: 'The relay failed.', hint: 'Its administrator sees the cause in its log.' };
  }
  return { code, message: error.message, hint: error.hint };
}
