import { expect, it } from 'vitest';
import { failures } from '../../../src/messages.ts';
import { hookRig, putConfig } from './rig.ts';

it('acknowledges what it printed, in the same run', async () => {
  const rig = await hookRig({ env: { PRETURN_ACK: 'after-print' } });
  await rig.send('one', 'two');
  rig.session.nextTurn();
  expect((await rig.run(rig.session.stdin('UserPromptSubmit'))).printed).toContain('two');
  expect(await rig.cursor()).toBe(2);
});

it('acknowledges nothing when nobody took what it printed', async () => {
  const rig = await hookRig({ env: { PRETURN_ACK: 'after-print' } });
  await rig.send('one');
  rig.session.nextTurn();
  const write = () => Promise.reject(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  await expect(rig.run(rig.session.stdin('UserPromptSubmit'), { write })).rejects.toThrow('broken pipe');
  expect(await rig.cursor()).toBe(0);
});

it('sends no ack after a faulty envelope in the same run: the next run does', async () => {
  const rig = await hookRig({ env: { PRETURN_ACK: 'after-print' } });
  putConfig(rig, 'config.json', '{"limit": 1}');
  await rig.send('one', 'two');
  const garbled: typeof rig.source = (name, origin) => ({
    ...rig.source(name, origin),
    async pull(request, signal) {
      const page = await rig.source(name, origin).pull(request, signal);
      if (rig.asked.length === 2) throw failures.badReply(origin, 'cursor is no sequence');
      return page;
    },
  });
  rig.session.nextTurn();
  const { printed } = await rig.run(rig.session.stdin('UserPromptSubmit'), {
    open: ({ name, origin }) => garbled(name, origin),
  });
  expect(printed).toContain('one');
  expect(rig.asked.filter(request => request.ack !== undefined)).toEqual([]);
  rig.session.nextTurn();
  const next = await rig.run(rig.session.stdin('UserPromptSubmit'));
  expect(next.printed).toContain('two');
  expect(next.printed).not.toContain('one');
  expect(await rig.cursor()).toBe(2);
});
