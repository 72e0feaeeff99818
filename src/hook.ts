import type { Settings } from './config/load.ts';
import { readConfig, readProject, resolveInboxes, resolveSettings } from './config/load.ts';
import { stateDir } from './config/paths.ts';
import { readTrust } from './config/trust.ts';
import { compose } from './core/compose.ts';
import { compileTrust } from './core/trust.ts';
import type { Composed } from './core/types.ts';
import { claimInboxes, type Desk, openDesk } from './desk.ts';
import type { Harness, Turn } from './harnesses/harness.ts';
import { detectHarness } from './harnesses/index.ts';
import { transcriptSize } from './harnesses/transcript.ts';
import { tellOnce, untell } from './journal/notice.ts';
import { startDeadline } from './lib/deadline.ts';
import { notices } from './messages.ts';
import type { Report } from './report.ts';
import type { HookIo, Run } from './run.ts';
import type { Inbox } from './sources/index.ts';

/**
 * One turn, top to bottom: stdin → guards → prove old blocks → drain under one deadline → compose → intent → print.
 * Prints one valid envelope or nothing, and throws only what a test's `step` throws.
 */
export async function runHook(io: HookIo): Promise<Report> {
  if (io.env.PRETURN === '0') return { outcome: 'off' };
  const input = await io.stdin();
  const harness = detectHarness(input.object, io.harness ?? io.env.PRETURN_HARNESS);
  if (!harness) return { outcome: 'unknown-client', detail: input.problem ?? 'stdin of no known client' };
  const turn = harness.parse(input.object);
  if (turn.action === 'ignore') return { outcome: 'ignored', harness: harness.name, event: turn.event };

  const state = stateDir(io.env);
  let settings: Settings;
  let inboxes: Inbox[];
  try {
    const project = readProject(turn.cwd);
    const config = readConfig(io.env);
    settings = resolveSettings(config, project, io.env);
    if (settings.off) return { outcome: 'off', harness: harness.name, event: turn.event };
    const options = { cwd: turn.cwd, bindingFirst: harness.name === 'codex' };
    inboxes = resolveInboxes(config, project, io.env, options);
    untell(state, 'config');
  } catch (error) {
    return misconfigured(io, harness, turn, state, error as Error);
  }
  if (inboxes.length === 0) return { outcome: 'no-inbox', harness: harness.name, event: turn.event };

  io.hardStop?.(settings.budgetMs);
  const deadline = startDeadline(settings.budgetMs, io.elapsed);
  const run: Run = { io, harness, turn, settings, state, deadline, nonce: await io.nonce(), told: [] };
  const mine = claimInboxes(run, inboxes);
  const opened = await Promise.all(mine.map(inbox => openDesk(run, inbox, inboxes.indexOf(inbox) + 1)));
  const desks = opened.filter(desk => desk !== undefined);
  try {
    await Promise.all(desks.map(desk => desk.settleAndDrain()));
    io.step?.('drained');
    const composed = turn.action === 'prompt' ? composeBlock(run, desks) : null;
    return await publish(run, desks, composed);
  } finally {
    deadline.clear();
    for (const desk of desks) desk.release();
  }
}

/** The block, or null when nothing waits: most turns end here, and an empty page is not worth rendering. */
function composeBlock(run: Run, desks: readonly Desk[]): Composed | null {
  const { io, settings, harness, nonce } = run;
  if (desks.every(desk => desk.isQuiet())) return null;
  const rules = readTrust(io.env);
  if (rules.state !== 'invalid') untell(run.state, 'trust');
  else if (tellOnce(run.state, 'trust')) run.told.push(notices.trust());
  const decide = compileTrust(rules);
  const sources = desks.map(desk => desk.view(decide));
  if (sources.every(source => source.items.length === 0)) return null;
  return compose({
    sources,
    caps: {
      tokens: settings.maxTokens,
      bytes: Math.min(settings.maxBytes, harness.caps.bytes || settings.maxBytes),
      utf16: Math.min(settings.maxBytes, harness.caps.utf16 || settings.maxBytes),
    },
    recipient: [...new Set(desks.map(desk => desk.inbox.handle).filter(handle => handle !== ''))].join(', '),
    nonce,
    now: io.now(),
  });
}

/** Intent first and durably, then stdout: a death in between repeats mail, the other order would lose it. */
async function publish(run: Run, desks: readonly Desk[], composed: Composed | null): Promise<Report> {
  const { io, turn, harness } = run;
  // Too late to print: nothing goes on record as printed or told, so the next turn says it.
  const late = run.deadline.total() <= 0;
  if (late) {
    for (const desk of desks) desk.keepNotices();
    if (run.told.length > 0) untell(run.state, 'trust');
  }
  const block = late ? null : (composed?.block ?? null);
  const size = block !== null && turn.transcript !== undefined ? transcriptSize(turn.transcript) : 0;
  for (const desk of desks) {
    if (composed !== null && block !== null) desk.intend(composed.shown, block, size);
    desk.save();
  }
  io.step?.('saved');
  const told = [...run.told, ...desks.flatMap(desk => desk.notices)];
  const notice = turn.action === 'prompt' && told.length > 0 && !late ? told.join(' ') : null;
  const envelope = harness.format(turn, { block, notice });
  if (envelope !== '') {
    await io.write(envelope);
    io.step?.('printed');
    if (composed !== null && block !== null) for (const desk of desks) await desk.afterPrint(composed.shown);
  }
  return {
    outcome: 'ran',
    harness: harness.name,
    event: turn.event,
    ...(turn.session === '' ? {} : { session: turn.session }),
    inboxes: desks.map(desk => desk.report(block === null ? [] : (composed?.shown ?? []))),
    ...(composed === null ? {} : { tokens: composed.tokens, bytes: composed.bytes, left: composed.left }),
    ...(notice === null ? {} : { notice }),
  };
}

async function misconfigured(io: HookIo, harness: Harness, turn: Turn, state: string, error: Error): Promise<Report> {
  if (turn.action === 'prompt' && tellOnce(state, 'config')) {
    const envelope = harness.format(turn, { block: null, notice: notices.config() });
    if (envelope !== '') await io.write(envelope);
  }
  return { outcome: 'misconfigured', harness: harness.name, event: turn.event, detail: error.message };
}
