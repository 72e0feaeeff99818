import { expect, it } from 'vitest';
import { hookRig } from './rig.ts';

/** Notices of turns whose block the client drops every time. */
async function droppedTurns(count: number, bodies: string[], maxTokens: string): Promise<string[]> {
  const rig = await hookRig({ env: { PRETURN_MAX_TOKENS: maxTokens } });
  await rig.send(...bodies);
  const notices: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    rig.clock += 60_000;
    rig.session.nextTurn();
    const { printed, report } = await rig.run(rig.session.stdin('UserPromptSubmit'));
    if (report.notice) notices.push(report.notice);
    rig.session.receive(printed, 'discarded');
    rig.session.answer();
    rig.session.over();
  }
  return notices;
}

it('a client that drops every block: one sentence for all items that were printed four times', async () => {
  const bodies = Array.from({ length: 12 }, (_, i) => `mail ${i}`);
  const notices = await droppedTurns(8, bodies, '2000');
  expect(notices).toHaveLength(1);
  expect(notices[0]!.match(/printed four times/g)).toHaveLength(1);
});

it('an item that waits for room with four showings is not told of turn after turn', async () => {
  const notices = await droppedTurns(
    40,
    Array.from({ length: 12 }, (_, i) => `mail ${i} ${'words '.repeat(60)}`),
    '300',
  );
  const counts = notices.map(notice => Number(/(\d+) messages were/.exec(notice)?.[1] ?? 1));
  expect(counts.length).toBeGreaterThan(0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(12);
});
