import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { NO_FAULTS, World } from '../../property/turn/world.ts';

let world: World;
beforeEach(async () => {
  world = new World(['claude-code']);
  await world.start();
  world.sessions[0]!.maxTokens = 300;
  onTestFinished(() => world.close());
});

/** Letters are rows: `v` visible, `h` hidden; long ones, of which the least cap holds one. */
const rows = (kinds: string) =>
  world.append([...kinds].map((kind, at) => ({ visible: kind === 'v', score: (9 - at) / 10, size: 4000 })));

/** One prompt without a Stop; the next prompt acknowledges. */
async function turn(fate: 'given' | 'discarded' = 'given'): Promise<void> {
  const client = world.sessions[0]!;
  client.nextTurn();
  client.receive(await world.hook(client, client.stdin('UserPromptSubmit'), NO_FAULTS), fate);
  world.see(client.answer());
  client.over();
  await world.audit('a turn');
}

async function expectNothingLost(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
  expect([world.lost, world.unseen()]).toEqual([[], 0]);
}

it('rows that a restored backup puts where hidden ones were, below what we pulled, are shown before they are acknowledged', async () => {
  await rows('v');
  await world.takeBackup();
  await rows('hv');
  await turn();
  expect(await world.cursor()).toBe(0);
  await world.restoreBackup();
  await rows('vv');
  await expectNothingLost();
});

it('hidden rows alone are no proof that the store is the same', async () => {
  await world.takeBackup();
  await rows('hhv');
  await turn('discarded');
  await world.restoreBackup();
  await rows('vvv');
  await expectNothingLost();
});
