import { relayFailures } from '../messages-relay.ts';
import { LIMITS } from './limits.ts';

/** Scope of mail addressed to one agent: every agent sees its own (S000-30). */
export const DIRECT = 'direct';

/**
 * S000-30: a row is visible if its scope equals or lies below (`/`-separated) one of the read scopes.
 * `null` reads everything.
 */
export function inScope(scope: string, readScopes: readonly string[] | null): boolean {
  if (readScopes === null || scope === DIRECT) return true;
  return readScopes.some(read => scope === read || scope.startsWith(`${read}/`));
}

/** A list of scopes as stored; throws `bad_input`. An absent list is null: everything. */
export function checkScopes(scopes: readonly string[] | undefined): readonly string[] | null {
  if (scopes === undefined) return null;
  if (scopes.length === 0 || scopes.length > LIMITS.scopes) {
    throw relayFailures.badInput(
      `A list of scopes holds 1 to ${LIMITS.scopes} of them.`,
      'Leave it out to read everything.',
    );
  }
  for (const scope of scopes) checkScope(scope);
  return scopes;
}

export function checkScope(scope: string): string {
  const segments = scope.split('/');
  if (scope.length > LIMITS.scope || segments.some(s => s === '') || /[\p{C}\s]/u.test(scope)) {
    throw relayFailures.badInput(
      `${JSON.stringify(scope.slice(0, 80))} is not a scope.`,
      `A scope is 1 to ${LIMITS.scope} characters without spaces, its parts separated by single slashes.`,
    );
  }
  return scope;
}
