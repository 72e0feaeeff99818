import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a vitest run with the line `N passed, N failed`; skipped tests have a line of their own before it.
 * Errors outside tests (a module that does not load, an unhandled rejection) count as failures.
 */
export default class Tally implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandled.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
        else skipped++;
      }
    }
    // At exit, so that nothing comes after it; writes to pipes and files are synchronous there.
    process.once('exit', () => {
      if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    });
  }
}
