import type { Env, Settings } from './config/load.ts';
import type { Harness, Turn } from './harnesses/harness.ts';
import type { Deadline } from './lib/deadline.ts';
import type { StdinResult } from './lib/stdin.ts';
import type { Inbox, OpenOptions } from './sources/index.ts';
import type { Source } from './sources/source.ts';

/** Everything a turn takes from outside: injected, so that tests own time, chance, faults and death. */
export interface HookIo {
  readonly env: Env;
  stdin(): Promise<StdinResult>;
  /** Harness named on the command line; stdin decides where it can. */
  readonly harness: string | undefined;
  /** Epoch ms. */
  now(): number;
  /** Monotonic ms since process start. */
  elapsed(): number;
  /** A fresh receipt: at least 96 random bits as `[a-z0-9]+`. */
  nonce(): Promise<string>;
  sleep(ms: number): Promise<void>;
  /** Writes to stdout and resolves when it is flushed. */
  write(text: string): Promise<void>;
  open(inbox: Inbox, options: OpenOptions): Source;
  fsync(file: number): void;
  /** Ends the process when the whole budget, ms from its start, is over: for work that heeds no signal. */
  hardStop?(budgetMs: number): void;
  /** Called between any two steps that leave a trace; tests kill the run there. */
  step?(name: string): void;
}

/** Everything one run decided on before it opens an inbox. */
export interface Run {
  readonly io: HookIo;
  readonly harness: Harness;
  readonly turn: Turn;
  readonly settings: Settings;
  readonly state: string;
  readonly deadline: Deadline;
  readonly nonce: string;
  /** One line each for the human, beside those of the inboxes. */
  readonly told: string[];
}
