import { rmdirSync, unlinkSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { exclusively } from '../config/exclusive.ts';
import { cliFailures } from '../messages-cli.ts';
import { JsoncProblem, undoInsertions } from './jsonc.ts';
import { hookCommand, launcherIn, removeLauncher, writeLauncher } from './launcher.ts';
import { foreignMeaning } from './meaning.ts';
import { dropReceipt, type Receipt, readReceipt, writeReceipt } from './receipt.ts';
import { addOwn, ownEntries, removeOwn } from './settings.ts';
import { digest, readSettings, type SettingsFile, writeSettings } from './settings-file.ts';
import type { Scope, Target } from './targets.ts';

export interface InstallOptions {
  readonly target: Target;
  readonly scope: Scope;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly configDir: string;
  readonly dataDir: string;
  readonly packageDir: string;
  /** The Node that runs us. */
  readonly execPath: string;
  /** Decide only; nothing is written. */
  readonly plan: boolean;
}

export interface InstallResult {
  readonly file: string;
  readonly launcher: string;
  readonly action: 'installed' | 'updated' | 'unchanged' | 'removed' | 'absent';
  /** Texts before and after; `after` is undefined when the file goes away again. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Registers the hook in a client's settings: our own entries only, the rest to the byte.
 *
 * @throws `settings_unparsable` with line and column (the file is untouched), `busy`, `bad_input`, `internal`
 */
export function install(options: InstallOptions): Promise<InstallResult> {
  return guarded(options, () => {
    const { target, scope, env, dataDir } = options;
    const launcher = launcherIn(dataDir);
    const command = hookCommand(launcher, scope, env);
    const found = readSettings(target.file(scope, env, options.cwd));
    const text = found.text ?? '';
    const old = readReceipt(dataDir, target.name, found.target);
    const original = old && originalOf(text, old);
    const from = original ?? text;
    const { plan, had } = parsing(found, () => ({
      plan: addOwn(from, target.events, command),
      had: ownEntries(text).length > 0,
    }));
    checkMeaning(found, text, plan.text);
    const result: InstallResult = {
      file: found.path,
      launcher: launcher.path,
      action: plan.text === text ? 'unchanged' : had ? 'updated' : 'installed',
      before: found.text,
      after: plan.text,
    };
    if (options.plan) return result;

    writeLauncher(launcher, options.packageDir, env, options.execPath);
    const pure = plan.insertions && ownEntries(from).length === 0;
    const receipt = (madeDirs: readonly string[]): Receipt => ({
      v: 1,
      harness: target.name,
      file: found.path,
      absent: found.text === undefined || (had && old?.absent === true),
      madeDirs: [...new Set([...(old?.madeDirs ?? []), ...madeDirs])],
      containers: pure ? [...plan.containers] : old?.containers ? [...old.containers, ...plan.containers] : null,
      exact: pure ? { before: digest(from), after: digest(plan.text), insertions: [...plan.insertions] } : null,
    });
    const made = plan.text === text ? [] : writeSettings(found, plan.text, scope === 'user' ? 0o600 : 0o644);
    if (plan.text !== text || !old) writeReceipt(dataDir, found.target, receipt(made));
    return result;
  });
}

/**
 * Removes our entries. While the file still is what install wrote, its former bytes come back; else only what is ours
 * goes. The launcher goes with the last install.
 *
 * @throws as install
 */
export function uninstall(options: InstallOptions): Promise<InstallResult> {
  return guarded(options, () => {
    const { target, scope, env, dataDir } = options;
    const launcher = launcherIn(dataDir);
    const found = readSettings(target.file(scope, env, options.cwd));
    const text = found.text ?? '';
    const receipt = readReceipt(dataDir, target.name, found.target);
    const original = receipt && originalOf(text, receipt);
    const next = original ?? parsing(found, () => removeOwn(text, receipt?.containers ?? undefined));
    checkMeaning(found, text, next);
    const vanishes = receipt?.absent === true && found.text !== undefined && /^\s*(\{\s*\})?\s*$/.test(next);
    const changed = vanishes || next !== text;
    const result: InstallResult = {
      file: found.path,
      launcher: launcher.path,
      action: changed ? 'removed' : 'absent',
      before: found.text,
      after: vanishes || found.text === undefined ? undefined : next,
    };
    if (options.plan) return result;

    if (vanishes) removeFile(found, receipt.madeDirs);
    else if (changed) writeSettings(found, next, 0o600);
    const othersRemain = dropReceipt(dataDir, target.name, found.target);
    if (!othersRemain) removeLauncher(launcher);
    return result;
  });
}

function guarded(options: InstallOptions, work: () => InstallResult): Promise<InstallResult> {
  // A plan writes nothing, not even a lock.
  return options.plan ? Promise.resolve().then(work) : exclusively(options.configDir, work);
}

/** The text as it was before our install, if the file still is what we wrote. */
function originalOf(text: string, { exact }: Receipt): string | undefined {
  if (!exact || digest(text) !== exact.after) return undefined;
  const original = undoInsertions(text, exact.insertions);
  return original !== undefined && digest(original) === exact.before ? original : undefined;
}

function parsing<T>(found: SettingsFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsoncProblem)) throw error;
    throw cliFailures.settingsUnparsable(found.path, error.line, error.column, error.message);
  }
}

/** Last check before a byte is written: all that is not ours says what it said. */
function checkMeaning(found: SettingsFile, before: string, after: string): void {
  if (before === after) return;
  const same = parsing(found, () => isDeepStrictEqual(foreignMeaning(before), foreignMeaning(after)));
  if (!same) throw cliFailures.settingsDiffer(found.path);
}

function removeFile(found: SettingsFile, madeDirs: readonly string[]): void {
  unlinkSync(found.target);
  for (const dir of [...madeDirs].reverse()) {
    try {
      rmdirSync(dir);
    } catch {
      return;
    }
  }
}
