import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { harnessNamed } from '../../../src/harnesses/index.ts';
import { proveIntents } from '../../../src/harnesses/prove.ts';
import type { Intent } from '../../../src/journal/state.ts';

const BLOCK = '<preturn-mail id="n0nce">\nMail.\n<receipt id="n0nce">End.</receipt>\n</preturn-mail>';

let path: string;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-prove-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  path = join(dir, 'transcript.jsonl');
});

function intent(harness: 'claude-code' | 'codex', more: Partial<Intent> = {}): Intent {
  return {
    nonce: 'n0nce',
    harness,
    session: 's',
    turn: 'turn-1',
    mode: 'confirmed',
    transcript: path,
    offset: 0,
    skipping: false,
    block: BLOCK,
    printedAt: 0,
    items: [{ seq: 1, id: 'a' }],
    status: 'open',
    turnSeen: false,
    leaves: [],
    ...more,
  };
}

const MB = 1024 * 1024;
/** Status after reading what is in the transcript now. */
function read(one: Intent, maxBytes = 16 * MB): string {
  return proveIntents([one], harnessNamed, maxBytes).length > 0 ? 'proven' : one.status;
}
const write = (...records: unknown[]) =>
  appendFileSync(
    path,
    records.map(record => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join(''),
  );

/** Records as Claude Code writes them; keys in its order. */
const claude = {
  user: (uuid: string, parentUuid: string | null, promptId: string, content: unknown = 'hi') => ({
    parentUuid,
    isSidechain: false,
    promptId,
    type: 'user',
    message: { role: 'user', content },
    uuid,
  }),
  ours: (uuid: string, parentUuid: string, text = BLOCK) => ({
    parentUuid,
    isSidechain: false,
    attachment: {
      type: 'hook_additional_context',
      content: [text],
      hookName: 'UserPromptSubmit',
      hookEvent: 'UserPromptSubmit',
    },
    type: 'attachment',
    uuid,
    rendered: [{ content: `<system-reminder>\n${text}\n</system-reminder>` }],
  }),
  attachment: (uuid: string, parentUuid: string, attachment: object) => ({
    parentUuid,
    isSidechain: false,
    attachment,
    type: 'attachment',
    uuid,
  }),
  assistant: (uuid: string, parentUuid: string | null, more: object = {}, model = 'claude-x') => ({
    parentUuid,
    isSidechain: false,
    message: { role: 'assistant', model, content: [{ type: 'text', text: 'ok' }] },
    type: 'assistant',
    uuid,
    ...more,
  }),
  blob: (text: string) => ({
    type: 'api-request-blob',
    hash: 'h',
    message: { role: 'system', content: [{ type: 'text', text }] },
  }),
};

describe('Claude Code', () => {
  it('is proven by the whole block and an answer below it, with other records in between', () => {
    write(
      claude.user('u1', null, 'turn-1'),
      claude.ours('a1', 'u1'),
      claude.attachment('d1', 'a1', { type: 'date' }),
      claude.blob(BLOCK),
    );
    const one = intent('claude-code');
    expect(read(one)).toBe('placed');
    write(claude.assistant('m1', 'd1'));
    expect(read(one)).toBe('proven');
  });

  it('is not proven by a copy elsewhere in the file', () => {
    write(claude.user('u1', null, 'other', BLOCK), claude.blob(BLOCK), claude.assistant('m1', 'u1'));
    expect(read(intent('claude-code'))).toBe('open');
  });

  it.each([
    ['the hook timed out', { type: 'hook_cancelled', hookEvent: 'UserPromptSubmit', timedOut: true, timeoutMs: 1000 }],
    [
      'the hook failed, with our text as its output',
      { type: 'hook_non_blocking_error', hookEvent: 'UserPromptSubmit', stdout: BLOCK, exitCode: 1 },
    ],
  ])('%s: the turn went on without it', (_, attachment) => {
    write(claude.user('u1', null, 'turn-1'), claude.attachment('a1', 'u1', attachment), claude.assistant('m1', 'a1'));
    expect(read(intent('claude-code'))).toBe('released');
  });

  it.each([
    ['a preview of the head', `<persisted-output>\nOutput too large\n${BLOCK.slice(0, 40)}\n</persisted-output>`],
    ['the middle cut, the receipt kept', `${BLOCK.slice(0, 28)}…${BLOCK.slice(40)}`],
  ])('%s is not the block', (_, text) => {
    write(claude.user('u1', null, 'turn-1'), claude.ours('a1', 'u1', text), claude.assistant('m1', 'a1'));
    expect(read(intent('claude-code'))).toBe('released');
  });

  it('an interrupted prompt is over', () => {
    write(claude.user('u1', null, 'turn-1', [{ type: 'text', text: '[Request interrupted by user]' }]));
    expect(read(intent('claude-code'))).toBe('released');
  });

  it('an API error and "No response requested." are no answers; the real one after the replay is', () => {
    write(claude.user('u1', null, 'turn-1'), claude.ours('a1', 'u1'));
    write(claude.assistant('m1', 'a1', { isApiErrorMessage: true }, '<synthetic>'));
    write(claude.assistant('m2', 'm1', { isApiErrorMessage: false }, '<synthetic>'));
    const one = intent('claude-code');
    expect(read(one)).toBe('placed');
    write(claude.user('u2', 'm2', 'turn-2'), claude.assistant('m3', 'u2'));
    expect(read(one)).toBe('proven');
  });

  it.each([
    ['the flag alone', { isApiErrorMessage: true }, 'claude-x'],
    ['the model alone', {}, '<synthetic>'],
  ])('a record of the client itself is no answer: by %s', (_, more, model) => {
    write(claude.user('u1', null, 'turn-1'), claude.ours('a1', 'u1'), claude.assistant('m1', 'a1', more, model));
    expect(read(intent('claude-code'))).toBe('placed');
  });

  it('an answer on a branch that does not hold the block proves nothing (a rewound conversation)', () => {
    write(claude.user('u1', null, 'turn-1'), claude.ours('a1', 'u1'));
    const one = intent('claude-code');
    expect(read(one)).toBe('placed');
    write(claude.user('u2', null, 'turn-2'), claude.assistant('m2', 'u2'));
    expect(read(one)).toBe('placed');
  });

  it('a fork that copies old records under our prompt’s id may release it, and the block still proves', () => {
    write(claude.user('u0', null, 'turn-1'), claude.assistant('m0', 'u0'));
    const one = intent('claude-code');
    expect(read(one)).toBe('released');
    write(claude.user('u1', 'm0', 'turn-1'), claude.ours('a1', 'u1'), claude.assistant('m1', 'a1'));
    expect(read(one)).toBe('proven');
  });

  it('a subagent’s records say nothing', () => {
    write({ ...claude.ours('a1', 'u1'), isSidechain: true }, { ...claude.assistant('m1', 'a1'), isSidechain: true });
    expect(read(intent('claude-code'))).toBe('open');
  });
});

/** Records as Codex writes them. */
const codex = {
  turn: (turn_id: string) => ({ type: 'turn_context', payload: { turn_id } }),
  event: (type: string, turn_id: string) => ({ type: 'event_msg', payload: { type, turn_id } }),
  ours: (text = BLOCK, kind = 'hooks.additional_context') => ({
    type: 'response_item',
    payload: {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text }],
      internal_chat_message_metadata_passthrough: { turn_id: 'turn-1', content_item_kinds: [kind] },
    },
  }),
  item: (payload: object) => ({ type: 'response_item', payload }),
};
const answer = codex.item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] });

describe('Codex', () => {
  it.each([
    ['a message', answer],
    ['a tool call', codex.item({ type: 'function_call', name: 'exec_command', arguments: '{}' })],
    ['reasoning', codex.item({ type: 'reasoning', summary: [] })],
  ])('is proven by the whole block and %s after it', (_, item) => {
    write(codex.turn('turn-1'), codex.ours());
    const one = intent('codex');
    expect(read(one)).toBe('placed');
    write(item);
    expect(read(one)).toBe('proven');
  });

  it('is released by an answer, an abort or another turn without the block', () => {
    for (const after of [answer, codex.event('turn_aborted', 'turn-1'), codex.turn('turn-2')]) {
      rmSync(path, { force: true });
      write(codex.turn('turn-1'), after);
      expect(read(intent('codex'))).toBe('released');
    }
  });

  it('takes no other developer message for ours, and no cut one', () => {
    write(codex.turn('turn-1'), codex.ours(BLOCK, 'user.text'), answer);
    expect(read(intent('codex'))).toBe('released');
    write(
      codex.ours(`Warning: truncated output\n\n${BLOCK.slice(0, 30)}…3 tokens truncated…${BLOCK.slice(50)}`),
      answer,
    );
    expect(read(intent('codex'))).toBe('released');
  });
});

describe('reading', () => {
  const proof = [claude.user('u1', null, 'turn-1'), claude.ours('a1', 'u1'), claude.assistant('m1', 'a1')];

  it('starts at the size stored when the block was printed', () => {
    write(claude.user('u0', null, 'turn-0'), claude.assistant('m0', 'u0'));
    const offset = Buffer.byteLength(
      `${JSON.stringify(claude.user('u0', null, 'turn-0'))}\n${JSON.stringify(claude.assistant('m0', 'u0'))}\n`,
    );
    write(...proof);
    expect(read(intent('claude-code', { offset }))).toBe('proven');
  });

  it('goes on where the bound of one run stopped it, also inside a record of several MB', () => {
    write(claude.user('u1', null, 'turn-1'), { type: 'api-request-shape', x: 'x'.repeat(3 * MB) }, ...proof.slice(1));
    const one = intent('claude-code');
    const offsets: number[] = [];
    while (read(one, 1.2 * MB) !== 'proven') offsets.push(one.offset);
    expect(offsets.length).toBeGreaterThan(1);
    expect(offsets).toEqual([...new Set(offsets)].sort((x, y) => x - y));
  });

  it('shares the bound of one run among all intents', () => {
    write({ type: 'api-request-shape', x: 'x'.repeat(3 * MB) });
    const both = [intent('claude-code'), intent('claude-code')];
    proveIntents(both, harnessNamed, 2 * MB);
    expect(both[0]!.offset + both[1]!.offset).toBeLessThanOrEqual(2 * MB);
    expect(both[0]!.offset).toBeGreaterThan(0);
  });

  it('waits for the end of a line that is still being written', () => {
    const text = proof.map(record => JSON.stringify(record)).join('\n');
    writeFileSync(path, text.slice(0, -5));
    const one = intent('claude-code');
    expect(read(one)).toBe('placed');
    appendFileSync(path, `${text.slice(-5)}\n`);
    expect(read(one)).toBe('proven');
  });

  it('passes over lines that are no records, and reads a replaced file from its start', () => {
    write('not json', '[1]', '"text"', '', ...proof);
    expect(read(intent('claude-code', { offset: 10 * MB }))).toBe('proven');
  });

  it('a missing file or a directory proves nothing', () => {
    expect(read(intent('claude-code'))).toBe('open');
    expect(read(intent('claude-code', { transcript: tmpdir() }))).toBe('open');
  });
});
