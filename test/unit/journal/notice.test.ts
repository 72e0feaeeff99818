import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tellOnce, untell } from '../../../src/journal/notice.ts';

it('tells a state once, again after it was over, and never where that cannot be remembered', () => {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-notice-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const state = join(dir, 'state');
  expect([tellOnce(state, 'config'), tellOnce(state, 'config'), tellOnce(state, 'trust')]).toEqual([true, false, true]);
  untell(state, 'config');
  expect([tellOnce(state, 'config'), tellOnce(state, 'trust')]).toEqual([true, false]);
  untell(state, 'never told');
  writeFileSync(join(dir, 'file'), '');
  expect([tellOnce(join(dir, 'file'), 'config'), tellOnce(join(dir, 'file'), 'config')]).toEqual([false, false]);
});
