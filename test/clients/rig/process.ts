import { spawn } from 'node:child_process';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The child's whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Lines to write to stdin, each when its `when` has resolved; stdin then ends. None: stdin is closed at once. */
  readonly stdin?: readonly Line[];
  /** Sends `name` to the client once `when` has resolved. */
  readonly signal?: { readonly name: NodeJS.Signals; readonly when: Promise<unknown> };
  /** Hard limit in ms, after which the whole process group is killed and the run fails. */
  readonly limitMs: number;
}

export interface Line {
  readonly text: string;
  readonly when?: Promise<unknown>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one client to its end, in a process group of its own, so that a client that hangs can be killed with its
 * children. Rejects when the limit was reached: a client that never ends is a finding, not a result.
 */
export async function launch(options: Launch): Promise<Exit> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve([code, signal]));
  });
  const over = () => child.exitCode !== null || child.signalCode !== null;

  options.signal?.when.then(() => {
    if (over()) return;
    // What cannot be caught is not passed on either: Codex is a native program below a script.
    if (options.signal?.name === 'SIGKILL') killGroup(child.pid);
    else child.kill(options.signal?.name);
  });
  if (options.stdin && child.stdin) {
    const stdin = child.stdin;
    // A client that ended early breaks the pipe; its exit says more than EPIPE does.
    stdin.on('error', () => {});
    (async () => {
      for (const line of options.stdin ?? []) {
        await line.when;
        if (over()) return;
        stdin.write(`${line.text}\n`);
      }
      stdin.end();
    })();
  }

  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child.pid);
  }, options.limitMs);
  const [code, signal] = await closed.finally(() => clearTimeout(timer));
  const exit = {
    code,
    signal,
    stdout: Buffer.concat(out).toString('utf8'),
    stderr: Buffer.concat(err).toString('utf8'),
  };
  if (late)
    throw new Error(`${options.command} did not end within ${options.limitMs} ms.\n${exit.stdout}\n${exit.stderr}`);
  return exit;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group ended by itself.
  }
}
