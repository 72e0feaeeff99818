import { edges } from '../errors.ts';
import { registrations } from '../harnesses/registration.ts';
import { TARGETS } from '../harnesses/targets.ts';
import { checks } from '../messages-doctor.ts';
import { type Check, fail, ok, warn } from './shared/checks/check.ts';
import { checkClients } from './shared/checks/clients.ts';
import { checkLauncher } from './shared/checks/launcher.ts';
import { checkRelays } from './shared/checks/relays.ts';
import { checkSetup } from './shared/checks/setup.ts';
import type { Context, Result } from './shared/context.ts';
import { lastRuns } from './shared/last-runs.ts';

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

/** `preturn doctor`: looks at everything between a message and a model; changes nothing. */
export async function run(context: Context): Promise<Result> {
  const all: Check[] = [
    ...checkSetup(context),
    ...(await context.waiting('the relay', checkRelays(context))),
    ...checkClients(context),
    ...checkLauncher(context),
    ...checkRuns(context),
  ];
  const failures = all.filter(check => check.state === 'fail');
  const first = failures.find(check => check.code !== undefined);
  const exit = failures.length === 0 ? 0 : first?.code === undefined ? 1 : edges(first.code).exit;
  return {
    exit,
    data: { ok: failures.length === 0, checks: all },
    text: all.map(lineOf).concat(summary(all)).join('\n'),
  };
}

function lineOf({ state, name, text, next }: Check): string {
  return `${MARKS[state]}  ${name}: ${text}${state === 'ok' || next === undefined ? '' : `\n      → ${next}`}`;
}

function summary(all: readonly Check[]): string {
  const count = (state: Check['state']) => all.filter(check => check.state === state).length;
  return `\n${checks.summary(count('fail'), count('warn'))}`;
}

/** Installed and silent is another trouble than not installed. */
function checkRuns(context: Context): Check[] {
  const runs = lastRuns(context);
  const installed = TARGETS.filter(target => registrations(target, context.env, context.cwd).length > 0);
  const silent = installed
    .filter(target => !runs.some(run => run.harness === target.name))
    .map(target => warn('last run', checks.neverFired(target.title), checks.neverFiredNext(target.name)));
  const seen = runs.map(run => {
    const text = checks.lastRun(run, context.now() - run.at);
    if (run.outcome === 'crashed' || run.outcome === 'misconfigured')
      return fail('last run', text, checks.lastRunNext());
    return run.inboxes?.some(inbox => inbox.state === 'failed') ? warn('last run', text) : ok('last run', text);
  });
  return [...seen, ...silent];
}
