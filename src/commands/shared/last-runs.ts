import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_FILE } from '../../lib/log.ts';
import type { Report } from '../../report.ts';
import type { Context } from './context.ts';

export type LoggedRun = Omit<Partial<Report>, 'outcome'> & {
  /** Epoch ms. */
  readonly at: number;
  /** `crashed` beside the outcomes of a report. */
  readonly outcome: string;
  /** Process time, ms. */
  readonly ms?: number;
};

/** The newest run of each client, prompts and proofs alike, newest first. A log that cannot be read is an empty one. */
export function lastRuns({ stateDir }: Context): LoggedRun[] {
  const byClient = new Map<string, LoggedRun>();
  for (const line of lines(join(stateDir, `${LOG_FILE}.1`)).concat(lines(join(stateDir, LOG_FILE)))) {
    const run = parse(line);
    if (run) byClient.set(run.harness ?? 'unknown', run);
  }
  return [...byClient.values()].sort((a, b) => b.at - a.at);
}

function lines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function parse(line: string): LoggedRun | undefined {
  try {
    const entry = JSON.parse(line);
    const at = Date.parse(entry.at);
    return typeof entry.outcome === 'string' && Number.isFinite(at) ? { ...entry, at } : undefined;
  } catch {
    return undefined;
  }
}
