import type { Env } from '../../config/load.ts';

/** Everything a command takes from outside; tests give their own. */
export interface Context {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** `--json`. */
  readonly json: boolean;
  readonly env: Env;
  readonly cwd: string;
  /** Epoch ms. */
  now(): number;
  readonly stdin: NodeJS.ReadStream;
  /** Stdout is a terminal: a person reads. Otherwise an agent may, and peer text stands in the frame. */
  readonly terminal: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly configDir: string;
  readonly stateDir: string;
  readonly dataDir: string;
  /** Writes a line to stdout now: for commands that go on running. */
  say(line: string): void;
  /** Writes a line to stderr now. */
  note(line: string): void;
  /** Says what is being waited for, once it has lasted over a second and a person watches. */
  waiting<T>(what: string, work: Promise<T>): Promise<T>;
}

/** What a command found: the same facts for people and for programs. */
export interface Result {
  readonly text: string;
  readonly data: unknown;
  /** Default 0. */
  readonly exit?: number;
}

export type Run = (context: Context) => Promise<Result>;
