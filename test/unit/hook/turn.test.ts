import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failures } from '../../../src/messages.ts';
import type { HookIo } from '../../../src/run.ts';
import { hookRig, putConfig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await hookRig();
});

function prompt(more: Partial<HookIo> = {}) {
  rig.clock += 1000;
  rig.session.nextTurn();
  return rig.run(rig.session.stdin('UserPromptSubmit'), more);
}
function answered(printed: string): void {
  rig.session.receive(printed, 'given');
  rig.session.answer();
  rig.session.over();
}
const inbox = () => {
  const dir = join(rig.dir, 'state', 'inboxes');
  return join(dir, readdirSync(dir)[0]!);
};
const journal = () => join(inbox(), 'journal.json');

describe('what a run leaves', () => {
  it('with an empty inbox it prints nothing, and from the second run on it writes no journal', async () => {
    expect((await prompt()).printed).toBe('');
    const before = readFileSync(journal());
    rmSync(journal());
    writeFileSync(journal(), before);
    let flushed = 0;
    const { printed, report } = await prompt({ fsync: () => flushed++ });
    expect([printed, flushed, report.inboxes?.[0]?.state]).toEqual(['', 0, 'drained']);
  });

  it('nothing at all before it knows that the turn is its own', async () => {
    for (const stdin of [undefined, { session_id: 's' }, { ...rig.session.stdin('UserPromptSubmit'), agent_id: 'a' }]) {
      await rig.run(stdin);
    }
    expect(existsSync(join(rig.dir, 'state'))).toBe(false);
    expect(rig.asked).toEqual([]);
  });

  it('releases its lease also when it prints nothing', async () => {
    await prompt();
    expect(readdirSync(inbox()).sort()).toEqual(['generation', 'journal.json']);
  });

  it('reports what it did, without a body', async () => {
    await rig.send('a secret body');
    const { report } = await prompt();
    expect(report).toMatchObject({
      outcome: 'ran',
      harness: 'claude-code',
      event: 'UserPromptSubmit',
      left: 0,
      inboxes: [{ state: 'drained', pulled: 1, proven: 0, cursor: { before: 0, after: 0 }, shown: [{ seq: 1 }] }],
    });
    expect(JSON.stringify(report)).not.toContain('secret');
  });
});

describe('the order of a turn', () => {
  it('writes the intent before it prints', async () => {
    await rig.send('one');
    const write = async () => {
      expect(JSON.parse(readFileSync(journal(), 'utf8')).intents).toHaveLength(1);
      throw new Error('died here');
    };
    await expect(prompt({ write })).rejects.toThrow('died here');
    const again = await prompt();
    expect(again.printed).toContain('repeat=\\"possible\\"');
  });

  it('prints nothing when the intent cannot be written', async () => {
    await rig.send('one');
    let printed = '';
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'fsync' });
    await expect(
      prompt({
        fsync: () => {
          throw full;
        },
        write: async text => {
          printed += text;
        },
      }),
    ).rejects.toThrow('no space');
    expect(printed).toBe('');
  });

  it('prints nothing when the budget is over, and the mail comes with the next turn', async () => {
    await rig.send('one');
    expect((await prompt({ elapsed: () => 60_000 })).printed).toBe('');
    expect((await prompt()).printed).toContain('one');
  });
});

describe('a journal that is lost', () => {
  it('is no first run: what waits is marked, once it is proven it is gone', async () => {
    await rig.send('one');
    answered((await prompt()).printed);
    rmSync(journal());
    const { printed } = await prompt();
    expect(printed).toContain('repeat=\\"possible\\"');
    answered(printed);
    expect((await prompt()).printed).toBe('');
    expect(await rig.cursor()).toBe(1);
  });

  it('acknowledges nothing in the run that finds it out', async () => {
    await rig.send('one');
    answered((await prompt()).printed);
    writeFileSync(journal(), '{"v":1');
    rig.asked.length = 0;
    await rig.run(rig.session.stdin('Stop'));
    await prompt();
    expect(rig.asked.filter(request => request.ack !== undefined)).toEqual([]);
  });
});

describe('one inbox, several claimants', () => {
  it('a lease that another run keeps makes the inbox unavailable, not empty', async () => {
    await rig.send('one');
    await prompt();
    rmSync(journal());
    writeFileSync(join(inbox(), 'lock'), `other ${rig.clock + 3000} ${process.pid}\n`);
    const { printed, report } = await prompt();
    expect([printed, report.inboxes]).toEqual(['', []]);
    expect(existsSync(journal())).toBe(false);
  });

  it('a second copy of the hook for the same prompt does nothing', async () => {
    await rig.send('one');
    rig.session.nextTurn();
    const runs = await Promise.all([0, 1].map(() => rig.run(rig.session.stdin('UserPromptSubmit'))));
    expect(runs.filter(run => run.printed !== '')).toHaveLength(1);
  });

  it('a prompt absorbed mid-turn under the running turn’s id is a turn of its own', async () => {
    await rig.send('one');
    rig.session.nextTurn();
    const stdin = rig.session.stdin('UserPromptSubmit');
    expect((await rig.run(stdin)).printed).toContain('one');
    await rig.send('two');
    expect((await rig.run({ ...stdin, prompt: 'another prompt' })).printed).toContain('two');
  });
});

describe('a relay in trouble', () => {
  const broken: Partial<HookIo> = {
    open: ({ name, origin }) => ({ name, origin, pull: () => Promise.reject(failures.timeout(origin)) }),
  };

  it('is left alone by the breaker, also by Stop, and heard again after its pause', async () => {
    await rig.send('one');
    const first = await prompt(broken);
    expect(first.report.notice).toContain('no answer');
    await prompt(broken);
    const { report } = await prompt();
    expect(report.inboxes?.[0]?.state).toBe('skipped');
    await rig.run(rig.session.stdin('Stop'));
    expect(rig.asked).toEqual([]);
    rig.clock += 60_000;
    const back = await prompt();
    expect(back.report.notice).toContain('answers again');
    expect(back.printed).toContain('one');
  });

  it('that fails a Stop says nothing, and the next prompt acknowledges', async () => {
    await rig.send('one');
    answered((await prompt()).printed);
    const stop = await rig.run(rig.session.stdin('Stop'), broken);
    expect([stop.printed, stop.report.inboxes?.[0]]).toMatchObject([
      '',
      { state: 'proved', error: 'timeout', proven: 1 },
    ]);
    expect((await prompt()).printed).toBe('');
    expect(await rig.cursor()).toBe(1);
  });
});

it('a second Stop of one turn proves what the first could not see yet (Codex, after a subagent)', async () => {
  await rig.send('one');
  rig.session.receive((await prompt()).printed, 'given');
  await rig.run(rig.session.stdin('Stop'));
  expect(await rig.cursor()).toBe(0);
  rig.session.answer();
  await rig.run(rig.session.stdin('Stop'));
  expect(await rig.cursor()).toBe(1);
});

describe('trust.yaml', () => {
  const compiled = (more: object) =>
    JSON.stringify({ v: 1, state: 'valid', unknown: 'withhold', entries: [], hash: '', ...more });

  it('that is not compiled: mail waits, one line, nothing is acknowledged', async () => {
    await rig.send('one');
    putConfig(rig, 'trust.yaml', 'version: 1\n');
    putConfig(rig, 'trust.json', compiled({}));
    const first = await prompt();
    expect(first.report.notice).toContain('trust.yaml is not valid');
    expect(first.printed).not.toContain('one');
    const second = await prompt();
    expect([second.printed, await rig.cursor()]).toEqual(['', 0]);
    rmSync(join(rig.dir, 'config', 'trust.yaml'));
    expect((await prompt()).printed).toContain('one');
  });

  it('that knows nobody: a count once, and the cursor passes what is settled', async () => {
    const { trustHash } = await import('../../../src/config/trust.ts');
    const yaml = 'version: 1\n';
    await rig.send('one', 'two');
    putConfig(rig, 'trust.yaml', yaml);
    putConfig(rig, 'trust.json', compiled({ hash: trustHash(Buffer.from(yaml)) }));
    const { printed, report } = await prompt();
    expect(report.notice).toContain('2 messages from unknown senders withheld');
    expect(printed).not.toContain('one');
    expect((await prompt()).printed).toBe('');
    expect(await rig.cursor()).toBe(2);
  });
});

it('a client that names no transcript proves nothing: its next run is taken for proof', async () => {
  await rig.send('one');
  rig.session.nextTurn();
  const { transcript_path: _, ...stdin } = rig.session.stdin('UserPromptSubmit');
  expect((await rig.run(stdin)).printed).toContain('one');
  await rig.run({ ...stdin, hook_event_name: 'Stop' });
  expect(await rig.cursor()).toBe(1);
});

it('a second page that fails is no relay lost: the first one is shown, and nobody is told', async () => {
  putConfig(rig, 'config.json', '{"limit": 1}');
  await rig.send('one', 'two');
  const { printed, report } = await prompt({
    open: ({ name, origin }) => {
      const source = rig.source(name, origin);
      return {
        ...source,
        pull: (request, signal) =>
          request.since === undefined ? source.pull(request, signal) : Promise.reject(failures.timeout(origin)),
      };
    },
  });
  expect(printed).toContain('one');
  expect([report.notice, report.inboxes?.[0]]).toMatchObject([undefined, { state: 'drained', error: 'timeout' }]);
});
