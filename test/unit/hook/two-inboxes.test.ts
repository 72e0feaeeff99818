import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { claimTurn } from '../../../src/journal/guard.ts';
import { failures } from '../../../src/messages.ts';
import { parseBlock } from '../../helpers/block.ts';
import { injected } from '../../helpers/hook.ts';
import { hookRig, putConfig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await hookRig({ env: { PRETURN_URL: '' } });
  const source = (name: string) => ({ name, url: `file:/${name}.db`, agent: 'bob' });
  putConfig(rig, 'config.json', JSON.stringify({ sources: [source('a'), source('b')] }));
  await rig.send('one');
  rig.session.nextTurn();
});
const prompt = (more: Parameters<Rig['run']>[1] = {}) => rig.run(rig.session.stdin('UserPromptSubmit'), more);
/** Another copy of the hook was faster to claim this inbox for the prompt. */
const claimedElsewhere = (name: string) => {
  const { prompt_id, prompt: text, session_id } = rig.session.stdin('UserPromptSubmit') as Record<string, string>;
  const key = { origin: `file:/${name}.db`, identity: 'bob', session: session_id!, turn: prompt_id, prompt: text! };
  expect(claimTurn(join(rig.dir, 'state'), key, rig.clock)).toBe(true);
};

it('stand in one block, each item with the number of its source', async () => {
  const { items } = parseBlock(injected((await prompt()).printed)!);
  expect(items.map(item => item.attributes.source)).toEqual(['1', '2']);
});

it('one prompt has one block: the copy that lost the first inbox leaves the second alone, too', async () => {
  claimedElsewhere('a');
  expect((await prompt()).printed).toBe('');
  claimedElsewhere('b');
});

it('the copy that has the first inbox goes without a second that is taken', async () => {
  claimedElsewhere('b');
  const { items } = parseBlock(injected((await prompt()).printed)!);
  expect(items).toHaveLength(1);
});

it('one that does not answer leaves the other its turn, and has its own line', async () => {
  const { printed, report } = await prompt({
    open: ({ name, origin }) =>
      name === 'a' ? { name, origin, pull: () => Promise.reject(failures.timeout(origin)) } : rig.source(name, origin),
  });
  expect(injected(printed)).toContain('one');
  expect(report.notice).toContain('no answer from file:/a.db');
  expect(report.inboxes?.map(inbox => inbox.state)).toEqual(['failed', 'drained']);
});
