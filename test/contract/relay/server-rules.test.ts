import { describe, expect, it } from 'vitest';
import { RULES } from './server-rules.ts';
import { SURFACES, world } from './world.ts';

describe('server rules of pull_inbox', () => {
  it('the table names every rule from 1 to 39, each for at least one surface', () => {
    expect(RULES.map(({ rule }) => rule)).toEqual(Array.from({ length: 39 }, (_, i) => i + 1));
    for (const { rule, on, why } of RULES) {
      expect(on.length, `rule ${rule}`).toBeGreaterThan(0);
      if (on.length < SURFACES.length) expect(why, `rule ${rule} says why not everywhere`).toBeTruthy();
    }
  });

  for (const { rule, says, on, check } of RULES) {
    for (const surface of on) {
      it(`rule ${rule} (${surface}): ${says}`, async () => {
        await check(await world(surface));
      });
    }
  }
});
