import { describe, expect, it } from 'vitest';
import { checkScopes, inScope } from '../../../src/relay/scopes.ts';

describe('read scopes (S000-30)', () => {
  it.each([
    ['team', ['team'], true],
    ['team/a/b', ['team'], true],
    ['team/a', ['team/a', 'x'], true],
    ['team', ['team/a'], false],
    ['teams', ['team'], false],
    ['x/team', ['team'], false],
    ['TEAM', ['team'], false],
    ['direct', ['team'], true],
    ['direct/x', ['team'], false],
    ['anything', null, true],
  ])('%s under %j: %s', (scope, read, visible) => {
    expect(inScope(scope, read)).toBe(visible);
  });

  it('an absent list reads everything, an empty one is a mistake', () => {
    expect(checkScopes(undefined)).toBeNull();
    expect(() => checkScopes([])).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
