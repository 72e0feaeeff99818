import { defineConfig } from 'vitest/config';

/** One project a kind of test; `npm test` runs all but `clients`, which needs the real agent clients installed. */
const project = (name: string, options: Record<string, unknown> = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], root: '.', ...options },
});

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'architecture', include: ['test/architecture.test.ts'], root: '.', testTimeout: 120_000 } },
      // No test depends on speed; some look at every code point or at a thousand files.
      project('unit', { testTimeout: 120_000 }),
      project('property', { testTimeout: 600_000 }),
      project('contract', { testTimeout: 120_000 }),
      project('e2e', { testTimeout: 240_000 }),
      project('clients', { testTimeout: 300_000, globalSetup: 'test/clients/rig/setup.ts' }),
    ],
    reporters: ['default', './test/helpers/tally.ts'],
    maxWorkers: 2,
  },
});
