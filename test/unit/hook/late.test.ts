import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failures } from '../../../src/messages.ts';
import { hookRig } from './rig.ts';

/** The source's answer, or failure, comes only when the whole budget is over. */
function lateSource(rig: Awaited<ReturnType<typeof hookRig>>, fail: boolean) {
  let over = false;
  return {
    elapsed: () => (over ? 60_000 : 1),
    open: ({ name, origin }: { name: string; origin: string }) => ({
      name,
      origin,
      async pull(request: Parameters<ReturnType<typeof rig.source>['pull']>[0], signal: AbortSignal) {
        over = true;
        if (fail) throw failures.badReply(origin, 'it is not JSON');
        return rig.source(name, origin).pull(request, signal);
      },
    }),
  };
}

it('a turn that came too late prints nothing, and its notice is told by the next one', async () => {
  const rig = await hookRig();
  const prompt = () => {
    rig.session.nextTurn();
    return rig.session.stdin('UserPromptSubmit');
  };
  expect((await rig.run(prompt(), lateSource(rig, true))).printed).toBe('');
  const bad = ({ name, origin }: { name: string; origin: string }) => ({
    name,
    origin,
    pull: () => Promise.reject(failures.badReply(origin, 'it is not JSON')),
  });
  expect((await rig.run(prompt(), { open: bad })).printed).toContain('not like a relay');
});

it('a turn that came too late leaves no record of a block: the next one shows the mail as new', async () => {
  const rig = await hookRig();
  await rig.send('one');
  rig.session.nextTurn();
  const late = await rig.run(rig.session.stdin('UserPromptSubmit'), lateSource(rig, false));
  expect([late.printed, late.report.inboxes?.[0]?.shown]).toEqual(['', []]);
  const inboxes = join(rig.dir, 'state', 'inboxes');
  const journal = JSON.parse(readFileSync(join(inboxes, readdirSync(inboxes)[0]!, 'journal.json'), 'utf8'));
  expect([journal.intents, journal.showings]).toEqual([[], {}]);
  rig.session.nextTurn();
  const { printed } = await rig.run(rig.session.stdin('UserPromptSubmit'));
  expect(printed).toContain('one');
  expect(printed).not.toContain('repeat=');
});
