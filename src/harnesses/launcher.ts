import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { replaceFile } from '../lib/files.ts';
import { cliFailures } from '../messages-cli.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the harness finds us: a path that survives upgrades of Node and of preturn, and holds no blank. */
export interface Launcher {
  readonly path: string;
  /** Copy of the hook's bundles, for when the package goes away. */
  readonly copyDir: string;
}

export const BUNDLE = 'pre-turn.cjs';

export function launcherIn(dataDir: string): Launcher {
  const dir = resolve(dataDir);
  return { path: join(dir, 'bin', 'preturn-hook'), copyDir: join(dir, 'hook') };
}

/**
 * The command for a settings file. A project's file is shared by committing it, so it names no home directory, and a
 * teammate without preturn sees no failure.
 *
 * @throws `bad_input` when the path holds a quote
 */
export function hookCommand(launcher: Launcher, scope: 'user' | 'project', env: Env): string {
  const { path } = launcher;
  if (/["'\\`$\n]/.test(path)) throw cliFailures.pathNotQuotable(path);
  const home = env.HOME;
  if (scope === 'project' && home && path.startsWith(`${home}/`)) {
    return `"$HOME${path.slice(home.length)}" || true`;
  }
  return /^[\w@%+:,./=-]+$/.test(path) ? path : `"${path}"`;
}

/** Pure: the launcher's text. POSIX sh; whatever is missing, the turn runs. */
export function launcherScript(nodes: readonly string[], hooks: readonly string[]): string {
  const list = (paths: readonly string[]) => paths.map(quote).join(' ');
  return `#!/bin/sh
# The pre-turn hook of preturn, written by \`preturn install\`. It holds no secret. PRETURN=0 switches it off.
[ "\${PRETURN-}" = 0 ] && exit 0
for hook in ${list(hooks)}; do
  [ -r "$hook" ] || continue
  for node in ${list(nodes)}; do
    [ -f "$node" ] && [ -x "$node" ] && exec "$node" "$hook" "$@"
  done
  # Another Node than the one that installed us: it may be too old, which must not fail the turn.
  node=$(command -v node) && "$node" "$hook" "$@" 2>/dev/null
  exit 0
done
exit 0
`;
}

/**
 * Nodes to try, best first: the name on PATH that leads to the running one (it survives upgrades where the real path
 * holds a version), then the running one itself.
 */
export function stableNodes(env: Env, execPath: string): string[] {
  const real = realpathSync(execPath);
  const found = (env.PATH ?? '')
    .split(delimiter)
    .filter(dir => dir.startsWith('/') && !dir.includes('/fnm_multishells/') && !dir.startsWith('/tmp/'))
    .map(dir => join(dir, 'node'))
    .find(path => {
      try {
        return realpathSync(path) === real;
      } catch {
        return false;
      }
    });
  return [...new Set([...(found === undefined ? [] : [found]), execPath])];
}

/**
 * Writes launcher and bundle copies.
 * @throws `internal` when the package holds no bundle, or the file system refuses
 */
export function writeLauncher(launcher: Launcher, packageDir: string, env: Env, execPath: string): void {
  const source = join(packageDir, 'hooks');
  if (!existsSync(join(source, BUNDLE))) throw cliFailures.noBundle(join(source, BUNDLE));
  const suffix = randomBytes(6).toString('hex');
  try {
    mkdirSync(launcher.copyDir, { recursive: true, mode: 0o700 });
    for (const name of bundles(source)) {
      replaceFile(join(launcher.copyDir, name), readFileSync(join(source, name), 'utf8'), suffix);
    }
    const hooks = [join(source, BUNDLE), join(launcher.copyDir, BUNDLE)];
    replaceFile(launcher.path, launcherScript(stableNodes(env, execPath), hooks), suffix);
    chmodSync(launcher.path, 0o755);
  } catch (error) {
    throw cliFailures.fileTrouble('Writing the launcher', launcher.path, (error as Error).message, error);
  }
}

/** Removes launcher and copies, and their directories where that leaves them empty. */
export function removeLauncher(launcher: Launcher): void {
  rmSync(launcher.path, { force: true });
  rmSync(launcher.copyDir, { recursive: true, force: true });
  for (const dir of [dirname(launcher.path), dirname(dirname(launcher.path))]) {
    try {
      rmdirSync(dir);
    } catch {
      return;
    }
  }
}

function bundles(dir: string): string[] {
  return readdirSync(dir).filter(name => name.endsWith('.cjs'));
}

/** One sh word, whatever it holds. */
function quote(path: string): string {
  return `'${path.replace(/'/g, `'\\''`)}'`;
}
