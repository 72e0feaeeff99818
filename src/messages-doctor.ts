import { span } from './core/item.ts';

/** What `preturn doctor` finds, and what to do about it. */
export const checks = {
  summary: (fails: number, warnings: number) =>
    fails + warnings === 0 ? 'All is well.' : `${fails} failed, ${warnings} to look at.`,
  configReadable: (dir: string, sources: number) =>
    `readable in ${dir}, ${sources} ${sources === 1 ? 'source' : 'sources'}`,
  credentialsSafe: (count: number) => `${count} stored, readable by you alone`,
  trustValid: () => 'trust.yaml is valid and in force',
  trustInvalid: (problem: string) => `trust.yaml is not valid, so mail is counted and not shown: ${problem}`,
  trustInvalidNext: () => 'Correct the file; until then nothing is acknowledged either.',
  offByEnv: () => 'PRETURN=0 switches the hook off in this environment',
  offByEnvNext: () => 'Unset PRETURN.',
  paused: () => 'paused',
  pausedNext: () => 'Run `preturn resume`.',
  offByProject: () => 'the .preturn.json of this directory switches the hook off (or is not valid)',
  relayAnswers: (origin: string, handle: string, cursor: number, ms: number) =>
    `${origin} knows ${handle || 'this identity'} (${ms} ms), acknowledged up to ${cursor}`,
  relayWithoutEpoch: (origin: string) => `${origin} answers, but names no epoch`,
  relayWithoutEpochNext: () =>
    'Every ack costs one more call there. Nothing to do, unless it should be a preturn relay.',
  notInstalled: () => 'present on this machine, but the hook is not installed',
  notInstalledNext: (name: string) => `Run \`preturn install ${name}\`, or ignore this if you use another client.`,
  noStop: (places: string) => `the hook is missing at Stop: ${places}`,
  noStopNext: (name: string) => `Run \`preturn install ${name}\`: without Stop, mail is acknowledged one turn later.`,
  installedOnce: (places: string) => `the hook is installed once: ${places}`,
  installedTwice: (count: number, places: string) => `the hook is installed ${count} times: ${places}`,
  installedTwiceNext: () => 'Mail is shown once all the same, but every turn pays twice. Remove all but one.',
  badNeighbour: (file: string, path: string) => `${path} in ${file} is malformed`,
  badNeighbourNext: () => 'Some versions then ignore every hook of the file, silently. Correct that entry.',
  trouble: {
    unparsable: (file: string, why: string) => `${file} does not parse (${why}), so no hook in it runs`,
    disabled: (file: string, key: string) => `${key} in ${file} switches all hooks off`,
  },
  troubleNext: {
    unparsable: () => 'Correct the file.',
    disabled: () => 'Remove that key.',
  },
  trusted: () => 'Codex trusts the hook as it now stands',
  codexTrust: {
    untrusted: (events: readonly string[]) =>
      `Codex has not been told to trust the hook (${events.join(', ')}), and skips it silently`,
    changed: (events: readonly string[]) =>
      `Codex trusted another definition of the hook (${events.join(', ')}), and skips this one silently`,
    disabled: (events: readonly string[]) => `the hook is switched off in Codex (${events.join(', ')})`,
  },
  codexTrustNext: () => 'Start `codex` and accept it at the prompt, or under /hooks.',
  launcherWorks: (command: string, ms: number) => `${command} runs the hook (${ms} ms)`,
  launcherFails: (command: string, problem: string) => `${command} does not run the hook: ${problem}`,
  launcherNext: (launcher: string) => `Run \`preturn install\` again; it writes ${launcher}.`,
  exited: (status: number | null, signal: string | null, stderr: string) =>
    `it ended with ${status === null ? signal : `exit code ${status}`}${stderr === '' ? '' : `: ${stderr.trim()}`}`,
  nothingRan: () => 'no Node or no bundle was found',
  lastRun: (run: { harness?: string; event?: string; outcome: string; detail?: string; ms?: number }, ago: number) =>
    `${run.harness ?? 'an unknown client'}, ${span(ago)} ago: ${run.event ?? ''} ${run.outcome}${run.ms === undefined ? '' : ` in ${run.ms} ms`}${run.detail === undefined ? '' : ` (${run.detail})`}`.replace(
      / {2,}/g,
      ' ',
    ),
  lastRunNext: () => 'What is named in brackets is the reason; the checks above say more.',
  neverFired: (title: string) => `installed in ${title}, but it has never fired`,
  neverFiredNext: (name: string) =>
    name === 'codex'
      ? 'Trust the hook in Codex, then restart its sessions.'
      : 'Restart its sessions and send one prompt.',
} as const;
