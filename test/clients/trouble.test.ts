import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './rig/bench.ts';
import { CLIENTS } from './rig/clients.ts';
import { occurrences, without } from './rig/landed.ts';
import { serve } from './rig/server.ts';

/** (e) Whatever the relay does, the turn runs, and the human hears of it once. */
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An address where nothing listens: a port that was free a moment ago. */
async function dead(): Promise<string> {
  const server = await serve(() => {});
  await server.close();
  return server.url;
}

/** Takes requests and never answers. */
async function hung(): Promise<string> {
  const server = await serve(() => new Promise(() => {}));
  closing.push(() => server.close());
  return server.url;
}

async function garbage(): Promise<string> {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('<html>{"items": [');
  });
  closing.push(() => server.close());
  return server.url;
}

/** Well-formed, and still no inbox: the sequences go backwards and lie outside the window. */
async function absurd(): Promise<string> {
  const body = { items: [{ delivery_seq: 9 }, { delivery_seq: -1 }], cursor: 'x', window_high: 3, has_more: true };
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  closing.push(() => server.close());
  return server.url;
}

/** A line to a relay that can be cut: requests then end without an answer. */
async function lineTo(relay: string): Promise<{ readonly url: string; cut(off: boolean): void }> {
  let off = false;
  const server = await serve(async (request, response, body) => {
    if (off) {
      response.destroy();
      return;
    }
    const answer = await fetch(new URL(request.url ?? '/', relay), {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  closing.push(() => server.close());
  return {
    url: server.url,
    cut: now => {
      off = now;
    },
  };
}

const RELAYS = [
  ['dead', dead],
  ['hung', hung],
  ['answering garbage', garbage],
  ['answering absurdly', absurd],
] as const;

describe.each(CLIENTS)('$title', ({ client, open }) => {
  test.each(RELAYS)('(e) a relay that is %s: turns run, one line for the human, once', async (_name, relay) => {
    const bench: Bench = await openBench(open, {
      PRETURN_URL: await relay(),
      PRETURN_TOKEN: 'token',
      PRETURN_BUDGET_MS: '700',
    });
    closing.push(() => bench.close());
    const hook = await bench.register();
    for (const prompt of ['First.', 'Second.', 'Third.']) {
      const turn = await bench.turn({ prompt, resume: prompt !== 'First.' });
      expect(turn.code).toBe(0);
      expect(turn.requests).toHaveLength(1);
      expect(without(turn.requests[0]!, [])).not.toMatch(/preturn/i);
    }
    const runs = await hook.runs();
    // Inside the budget, so far inside the client's own limit: none was killed or failed.
    expect(runs.map(run => run.code)).toEqual(runs.map(() => 0));
    expect(runs.filter(run => run.block !== undefined)).toEqual([]);
    const notices = runs.map(run => run.notice).filter(notice => notice !== undefined);
    expect(notices).toHaveLength(1);
    expect(notices[0]).not.toContain('\n');
    if (client === 'claude') expect(await systemMessages(bench)).toEqual(notices);
  });

  test('(e) a relay that goes away and comes back: one line each time, and the mail that waited', async () => {
    const bench: Bench = await openBench(open);
    closing.push(() => bench.close());
    const line = await lineTo(bench.post.url);
    const hook = await bench.register();
    const turn = (prompt: string) =>
      bench.turn({ prompt, resume: prompt !== 'First.', env: { PRETURN_URL: line.url } });
    await bench.post.send({ content: 'MAIL-ONE' });
    await turn('First.');
    await bench.post.send({ content: 'MAIL-TWO' });
    line.cut(true);
    const without = await turn('Second.');
    expect(occurrences(without.requests[0]!, 'MAIL-TWO')).toBe(0);
    line.cut(false);
    const back = await turn('Third.');
    for (const mail of ['MAIL-ONE', 'MAIL-TWO']) expect(occurrences(back.requests[0]!, mail)).toBe(1);
    expect(await bench.post.cursor()).toBe(2);
    const notices = (await hook.runs()).map(run => run.notice?.replace(line.url, 'RELAY'));
    expect(notices.filter(notice => notice !== undefined)).toEqual([
      expect.stringContaining('no answer from RELAY'),
      expect.stringContaining('RELAY answers again'),
    ]);
  });
});

/** What Claude Code took as a line for the human, from its transcript. */
async function systemMessages(bench: Bench): Promise<unknown[]> {
  const records = [...(await bench.session.transcripts()).values()].flat();
  return records
    .map(record => record.attachment as { type?: string; content?: unknown } | undefined)
    .filter(attachment => attachment?.type === 'hook_system_message')
    .map(attachment => attachment?.content);
}
