import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import type { Harness } from './harness.ts';
import { json } from './json.ts';
import { plain } from './plain.ts';

/** Every harness; the first whose `recognise` accepts the stdin is used unless one is named. */
export const HARNESSES: readonly Harness[] = [codex, claudeCode, plain, json];

export function harnessNamed(name: string): Harness | undefined {
  return HARNESSES.find(harness => harness.name === name);
}

/**
 * The harness of this run. The dialect is chosen from stdin, not from the environment: several clients set each
 * other's variables. A name only decides where stdin does not.
 */
export function detectHarness(
  stdin: Readonly<Record<string, unknown>> | undefined,
  name: string | undefined,
): Harness | undefined {
  return HARNESSES.find(harness => harness.recognise(stdin)) ?? (name === undefined ? undefined : harnessNamed(name));
}
