import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The built command, as npm links it. */
export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliInput {
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

/** Runs the built command once as a child process. */
export async function cli(args: readonly string[], input: CliInput): Promise<CliRun> {
  const child = start(args, input);
  child.stdin.on('error', () => {});
  child.stdin.end(input.stdin ?? '');
  const [stdout, stderr, code] = await Promise.all([collect(child.stdout), collect(child.stderr), ended(child)]);
  return { code, stdout, stderr };
}

/** Starts the built command and leaves it running. */
export function start(
  args: readonly string[],
  { env, cwd }: CliInput,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(process.execPath, [CLI, ...args], { env: { ...env }, cwd: cwd ?? env.HOME, stdio: 'pipe' });
}

export function ended(child: ReturnType<typeof start>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve(code));
  });
}

/** The first line that a stream writes. */
export function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      stream.removeListener('data', onData);
      resolve(text.slice(0, text.indexOf('\n')));
    };
    stream.on('data', onData);
    stream.on('end', () => reject(new Error(`It ended without a line: ${text}`)));
  });
}

async function collect(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
