import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One run of the hook under the recorder. */
export interface HookRun {
  readonly event: string;
  readonly stdin: Readonly<Record<string, unknown>>;
  readonly stdout: string;
  readonly stderr: string;
  /** `undefined` when the client killed the hook before it ended. */
  readonly code: number | undefined;
  /** The injected text in the printed envelope, if there is one. */
  readonly block: string | undefined;
  /** The line for the human in the printed envelope, if there is one. */
  readonly notice: string | undefined;
}

export interface Recorder {
  /** The command to register. */
  readonly command: string;
  /** All runs so far, in the order in which they began. */
  runs(): Promise<readonly HookRun[]>;
  /** The newest run for `event`. */
  last(event: string): Promise<HookRun | undefined>;
  /** Resolves when `count` runs for `event` (default UserPromptSubmit) have printed and ended. */
  ended(count: number, event?: string): Promise<void>;
}

export interface RecorderOptions {
  /** Seconds to stay alive after a UserPromptSubmit run has printed, so that the client can discard the output. */
  readonly lingerS?: number;
  /** UTF-16 units of filler to add to the injected text, so that the client's cap cuts it. */
  readonly padding?: number;
}

/**
 * A shell script around the hook: it hands stdin through, keeps what goes in and out in `folder`, and passes the
 * output on byte for byte. With `lingerS` it then outstays the client's patience, as a hook on a busy machine does.
 */
export async function recorder(folder: string, command: string, options: RecorderOptions = {}): Promise<Recorder> {
  const runsDir = join(folder, 'runs');
  await mkdir(runsDir, { recursive: true });
  const script = join(folder, 'hook.sh');
  await writeFile(script, shell(runsDir, command, options));
  await chmod(script, 0o755);
  const runs = () => readRuns(runsDir);
  return {
    command: script,
    runs,
    last: async event => (await runs()).filter(run => run.event === event).at(-1),
    async ended(count, event = 'UserPromptSubmit') {
      for (;;) {
        const over = (await runs()).filter(run => run.event === event && run.code !== undefined);
        if (over.length >= count) return;
        await sleep(20);
      }
    },
  };
}

/** Appends filler to the injected text of an envelope on stdin; passes anything else on. No single quotes inside. */
const PAD = `
const text = require("node:fs").readFileSync(0, "utf8");
const out = text === "" ? undefined : JSON.parse(text);
if (out?.hookSpecificOutput) out.hookSpecificOutput.additionalContext += " filler".repeat(process.argv[1] / 7);
process.stdout.write(out ? JSON.stringify(out) : text);
`;

function shell(runsDir: string, command: string, { lingerS = 0, padding = 0 }: RecorderOptions): string {
  const pass = padding > 0 ? `'${process.execPath}' -e '${PAD}' ${padding} < "$run/stdout"` : 'cat "$run/stdout"';
  return `#!/bin/sh
run=$(mktemp -d '${runsDir}/XXXXXXXX') || exit 1
tee "$run/stdin" | ${command} > "$run/stdout" 2> "$run/stderr"
code=$?
${pass}
echo "$code" > "$run/code.part" && mv "$run/code.part" "$run/code"
${lingerS > 0 ? `if grep -q '"hook_event_name":"UserPromptSubmit"' "$run/stdin"; then exec sleep ${lingerS}; fi` : ''}
exit "$code"
`;
}

async function readRuns(runsDir: string): Promise<HookRun[]> {
  const found: { readonly begun: number; readonly run: HookRun }[] = [];
  for (const name of await readdir(runsDir)) {
    const dir = join(runsDir, name);
    const stdin = await json(join(dir, 'stdin'));
    // The client is still writing the hook's stdin.
    if (stdin === undefined) continue;
    const stdout = await text(join(dir, 'stdout'));
    const code = existsSync(join(dir, 'code')) ? Number(await text(join(dir, 'code'))) : undefined;
    const printed = parse(stdout) as Printed | undefined;
    found.push({
      begun: (await stat(join(dir, 'stdin'))).birthtimeMs,
      run: {
        event: String(stdin.hook_event_name),
        stdin,
        stdout,
        stderr: await text(join(dir, 'stderr')),
        code,
        block: printed?.hookSpecificOutput?.additionalContext,
        notice: printed?.systemMessage,
      },
    });
  }
  return found.sort((a, b) => a.begun - b.begun).map(({ run }) => run);
}

interface Printed {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
}

async function text(path: string): Promise<string> {
  return existsSync(path) ? readFile(path, 'utf8') : '';
}

async function json(path: string): Promise<Record<string, unknown> | undefined> {
  return parse(await text(path)) as Record<string, unknown> | undefined;
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
