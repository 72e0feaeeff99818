import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The versions that the scenarios were observed on. PRETURN_CLAUDE_VERSION and PRETURN_CODEX_VERSION try others.
 * claude-code is named exactly because on Node 20 npm would fall back to a much older one: the package asks for
 * Node 22, although what it ships is a native program.
 */
const PINNED = {
  claude: process.env.PRETURN_CLAUDE_VERSION ?? '2.1.332',
  codex: process.env.PRETURN_CODEX_VERSION ?? '0.171.0',
};

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const CACHE = join(REPOSITORY, 'node_modules', '.cache', 'preturn-clients');

/** How to start an installed client: a program and its leading arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** What `--version` printed, one line. */
  readonly version: string;
}

export interface Clients {
  readonly claude: Program;
  readonly codex: Program;
}

/**
 * Both clients from the cache, installed there first when this pair of versions is not yet (about 500 MB, 10–60 s).
 * Runs no install script: the native programs are called where npm unpacks them.
 */
export async function installClients(): Promise<Clients> {
  const folder = join(CACHE, `claude-${PINNED.claude}_codex-${PINNED.codex}`);
  if (!existsSync(folder)) await install(folder);
  const claude = join(folder, 'node_modules', '@anthropic-ai', claudePackage(), exe('claude'));
  const codex = join(folder, 'node_modules', '@openai', 'codex', 'bin', 'codex.js');
  return {
    claude: await program(claude, []),
    codex: await program(process.execPath, [codex]),
  };
}

/** Installs beside the folder and renames at the end, so that a killed run leaves no half-filled cache. */
async function install(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, 'package.json'), '{ "private": true }\n');
  const packages = [`@anthropic-ai/claude-code@${PINNED.claude}`, `@openai/codex@${PINNED.codex}`];
  const flags = ['--prefix', draft, '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
  console.log(`Installing ${packages.join(' and ')} for the client tests …`);
  await run('npm', ['install', ...flags, ...packages], { cwd: draft, timeout: 600_000, maxBuffer: 1 << 24 });
  try {
    await rename(draft, folder);
  } catch (error) {
    // Another run was faster: its folder is as good.
    if (!existsSync(folder)) throw error;
    await rm(draft, { recursive: true, force: true });
  }
}

async function program(command: string, args: readonly string[]): Promise<Program> {
  const home = join(dirname(CACHE), 'preturn-clients-home');
  await mkdir(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: home, CODEX_HOME: home };
  const { stdout } = await run(command, [...args, '--version'], { env, timeout: 60_000 });
  return { command, args, version: stdout.trim() };
}

/** npm package with the native Claude Code of this machine. */
function claudePackage(): string {
  const musl = process.platform === 'linux' && !glibc() ? '-musl' : '';
  return `claude-code-${process.platform}-${process.arch}${musl}`;
}

function glibc(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime !== undefined;
}

function exe(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}
