import { afterEach, describe, expect, test } from 'vitest';
import { CLIENTS, type Open } from './rig/clients.ts';
import { landed, occurrences } from './rig/landed.ts';
import { recorder } from './rig/recorder.ts';
import type { Session } from './rig/session.ts';
import { stubHook } from './rig/stub.ts';

/**
 * What the clients do with a hook's output, without our hook: the facts that proof and redelivery stand on.
 * When a new client version breaks one of these, the prover has to change.
 */
const TEXT = ' \n\tMARK <b> & "é 中文 👩‍👧" \\ </system-notice>\n  last line \n ';

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

async function start(openClient: Open, options: { lingerS?: number; timeoutS?: number; text?: string } = {}) {
  const session = await openClient();
  open.push(session);
  const stub = await stubHook(session.dir, options.text ?? TEXT);
  const hook = await recorder(session.dir, stub, options.lingerS === undefined ? {} : { lingerS: options.lingerS });
  const timeout = options.timeoutS === undefined ? {} : { timeoutS: options.timeoutS };
  await session.register([{ command: hook.command, ...timeout }]);
  return { session, hook };
}

/** Texts of ours in the transcripts' context entries, and whether a real answer follows each. */
async function entries(session: Session): Promise<{ text: string; answered: boolean }[]> {
  const found: { text: string; answered: boolean }[] = [];
  for (const records of (await session.transcripts()).values()) {
    for (const record of records) {
      for (const text of contextTexts(record)) found.push({ text, answered: false });
      if (isAnswer(record)) for (const entry of found) entry.answered = true;
    }
  }
  return found;
}

/** A transcript record, or any object below it: read loosely, because its shape is what is being tested. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = Readonly<Record<string, any>>;

function contextTexts(record: Json): string[] {
  if (record.attachment?.type === 'hook_additional_context') return record.attachment.content;
  const kinds = record.payload?.internal_chat_message_metadata_passthrough?.content_item_kinds ?? [];
  if (record.payload?.role !== 'developer' || !kinds.includes('hooks.additional_context')) return [];
  return record.payload.content.map((part: Json) => part.text);
}

function isAnswer(record: Json): boolean {
  if (record.type === 'assistant') return record.message.model !== '<synthetic>' && record.isSidechain === false;
  return record.type === 'response_item' && record.payload.role === 'assistant';
}

describe.each(CLIENTS)('$title', ({ client, open: openClient }) => {
  test('injects the text whole and once, in the right role, and replays it on resume', async () => {
    const { session, hook } = await start(openClient);
    const first = await session.turn({ prompt: 'first' });
    expect(first).toMatchObject({ code: 0 });
    expect(first.requests).toHaveLength(1);
    expect(landed(first.requests[0]!, TEXT).map(part => part.role)).toEqual([session.role]);
    expect(occurrences(first.requests[0]!, 'MARK')).toBe(1);

    const second = await session.turn({ prompt: 'second', resume: true });
    expect(occurrences(second.requests[0]!, 'MARK')).toBe(2);
    const runs = await hook.runs();
    expect(runs.map(run => run.event)).toEqual(['UserPromptSubmit', 'Stop', 'UserPromptSubmit', 'Stop']);
    expect(new Set(runs.map(run => run.stdin.transcript_path)).size).toBe(1);
    expect(new Set(runs.map(run => run.stdin.session_id)).size).toBe(1);
  });

  test('keeps the text unchanged in its transcript, with the answer after it, when Stop fires', async () => {
    const { session, hook } = await start(openClient);
    await session.turn({ prompt: 'first' });
    expect(await entries(session)).toEqual([{ text: TEXT, answered: true }]);
    expect((await hook.runs()).map(run => run.code)).toEqual([0, 0]);
  });

  test('discards what a hook printed before it ran out of time', async () => {
    const { session } = await start(openClient, { lingerS: 20, timeoutS: 1 });
    const turn = await session.turn({ prompt: 'first' });
    expect(turn.code).toBe(0);
    expect(occurrences(turn.requests[0]!, 'MARK')).toBe(0);
    expect(await entries(session)).toEqual([]);
  });

  test('makes no request and keeps no entry when interrupted while the hook runs', async () => {
    const { session, hook } = await start(openClient, { lingerS: 20 });
    const turn = await session.turn({ prompt: 'first', signal: { name: 'SIGINT', when: hook.ended(1) } });
    expect(turn.requests).toEqual([]);
    expect(await entries(session)).toEqual([]);
  });

  test('keeps an unanswered entry when the model fails, and replays it on resume', async () => {
    const { session } = await start(openClient);
    const failed = await session.turn({ prompt: 'first', replies: [{ fail: 500 }] });
    expect(failed.code).toBe(1);
    expect(await entries(session)).toEqual([{ text: TEXT, answered: false }]);
    const next = await session.turn({ prompt: 'second', resume: true });
    expect(occurrences(next.requests[0]!, 'MARK')).toBe(2);
  });

  test('keeps an unanswered entry when interrupted during the request', async () => {
    const { session } = await start(openClient);
    const asked = session.model.asked(1);
    const replies = [{ text: 'late', delayMs: 20_000 }];
    await session.turn({ prompt: 'first', replies, signal: { name: 'SIGINT', when: asked } });
    expect(await entries(session)).toEqual([{ text: TEXT, answered: false }]);
    await session.turn({ prompt: 'second', resume: true });
    expect((await entries(session)).map(entry => entry.answered)).toEqual([true, true]);
  });

  test('cuts what is above its cap', async () => {
    const long = `MARK${' 中文 x'.repeat(2100)} END`;
    const { session } = await start(openClient, { text: long });
    const turn = await session.turn({ prompt: 'first' });
    expect(landed(turn.requests[0]!, long)).toHaveLength(0);
    const [entry] = await entries(session);
    expect(entry?.text).not.toBe(long);
    expect(entry?.text).toContain('MARK');
    // Codex keeps head and tail: a receipt at the end of a block would survive the cut.
    expect(entry?.text.includes(' END')).toBe(client === 'codex');
  });
});
