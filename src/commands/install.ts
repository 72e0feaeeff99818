import { editConfig } from '../config/edit.ts';
import { readConfig } from '../config/load.ts';
import { type InstallOptions, type InstallResult, install, uninstall } from '../harnesses/install.ts';
import { registrations } from '../harnesses/registration.ts';
import { SCOPES, type Scope, TARGETS, targetNamed } from '../harnesses/targets.ts';
import { diffLines } from '../lib/diff.ts';
import { packageDir } from '../lib/package.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import type { Context, Result } from './shared/context.ts';
import { flag, text } from './shared/options.ts';

/** `preturn install <claude-code|codex>` */
export async function run(context: Context): Promise<Result> {
  const options = optionsOf(context);
  const { target, plan, scope } = options;
  const result = await install(options);
  // The hook's `file:` source finds the native database library through it, even from a bare plugin checkout.
  if (!plan) {
    await editConfig(context.configDir, draft => {
      draft.packageDir = options.packageDir;
    });
  }
  const plugins = registrations(target, context.env, context.cwd).filter(one => one.kind === 'plugin');
  const next = [
    ...(result.action === 'unchanged' ? [] : says.afterInstall[target.name](scope)),
    ...(plugins.length > 0 ? [says.alsoPlugin(target.title)] : []),
    ...(hasSource(context) ? [] : [says.noSourceYet()]),
    ...(options.packageDir.includes('/_npx/') ? [says.fromNpxCache()] : []),
  ];
  return {
    text: plan ? planText(result) : [says.installed(target.title, result), ...next.map(line => `  ${line}`)].join('\n'),
    data: { ...facts(result), plan, ...(plan ? {} : { next }) },
  };
}

/** `preturn uninstall <claude-code|codex>` */
export async function remove(context: Context): Promise<Result> {
  const options = optionsOf(context);
  const result = await uninstall(options);
  return {
    text: options.plan ? planText(result) : says.uninstalled(options.target.title, result),
    data: { ...facts(result), plan: options.plan },
  };
}

function optionsOf(context: Context): InstallOptions {
  const target = targetNamed(context.args[0]!);
  if (!target) {
    throw cliFailures.unknownClient(
      context.args[0]!,
      TARGETS.map(one => one.name),
    );
  }
  const scope = text(context, 'scope') ?? 'user';
  if (!(SCOPES as readonly string[]).includes(scope)) throw cliFailures.notAScope(scope, SCOPES);
  const { env, cwd, configDir, dataDir } = context;
  return {
    target,
    scope: scope as Scope,
    env,
    cwd,
    configDir,
    dataDir,
    packageDir: packageDir(),
    execPath: process.execPath,
    plan: flag(context, 'plan'),
  };
}

function planText({ file, launcher, action, before, after }: InstallResult): string {
  if (action === 'unchanged' || action === 'absent') return says.planNothing(file);
  const diff = diffLines(before ?? '', after ?? '');
  return [says.planHead(file, launcher, action, before === undefined, after === undefined), diff].join('\n');
}

function facts({ file, launcher, action, before, after }: InstallResult) {
  return {
    action,
    file,
    launcher,
    created: before === undefined,
    deleted: after === undefined,
    diff: diffLines(before ?? '', after ?? ''),
  };
}

function hasSource({ env }: Context): boolean {
  try {
    return Boolean(env.PRETURN_URL) || readConfig(env).sources.length > 0;
  } catch {
    return false;
  }
}
