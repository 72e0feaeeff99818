import { readConfig, readCredentials, readProject } from '../../../config/load.ts';
import { compileTrustFile } from '../../../config/trust-compile.ts';
import { checks } from '../../../messages-doctor.ts';
import type { Context } from '../context.ts';
import { type Check, fail, failed, ok, warn } from './check.ts';

/** Files of the user, and switches that keep the hook quiet. */
export function checkSetup(context: Context): Check[] {
  const found: Check[] = [];
  const attempt = (name: string, work: () => Check) => {
    try {
      found.push(work());
    } catch (error) {
      found.push(failed(name, error));
    }
  };
  attempt('config', () => {
    const { sources } = readConfig(context.env);
    return ok('config', checks.configReadable(context.configDir, sources.length));
  });
  attempt('credentials', () =>
    ok('credentials', checks.credentialsSafe(readCredentials(context.configDir).entries.length)),
  );
  const trust = compileTrustFile(context.env);
  if (trust.state === 'invalid') {
    found.push(fail('trust', checks.trustInvalid(trust.problem ?? ''), checks.trustInvalidNext()));
  } else if (trust.state === 'valid') found.push(ok('trust', checks.trustValid()));
  return [...found, ...switches(context)];
}

function switches({ env, cwd }: Context): Check[] {
  const off: Check[] = [];
  if (env.PRETURN === '0') off.push(warn('switch', checks.offByEnv(), checks.offByEnvNext()));
  try {
    if (readConfig(env).paused) off.push(warn('switch', checks.paused(), checks.pausedNext()));
  } catch {
    // Reported by the check of the configuration.
  }
  if (readProject(cwd).off) off.push(warn('switch', checks.offByProject()));
  return off;
}
