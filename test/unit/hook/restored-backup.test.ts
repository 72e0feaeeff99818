import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { NO_FAULTS, World } from '../../property/turn/world.ts';

let world: World;
beforeEach(async () => {
  world = new World(['claude-code']);
  await world.start();
  world.sessions[0]!.maxTokens = 300;
  onTestFinished(() => world.close());
});

/** Rows so long that the least cap holds two of them; null is a hidden one. */
const rows = (...scores: Array<number | null>) =>
  world.append(scores.map(score => ({ visible: score !== null, score: score ?? 0, size: 4000 })));

/** One prompt without a Stop: the next prompt acknowledges. */
async function turn(fate: 'given' | 'discarded' = 'given'): Promise<void> {
  const client = world.sessions[0]!;
  client.nextTurn();
  client.receive(await world.hook(client, client.stdin('UserPromptSubmit'), NO_FAULTS), fate);
  world.see(client.answer());
  client.over();
  await world.audit('a turn');
}

async function expectNothingLost(): Promise<void> {
  for (let i = 0; i < 8; i++) await turn();
  expect([world.lost, world.unseen()]).toEqual([[], 0]);
}

it('a row that the relay keeps back below the goal is shown before anything above it is acknowledged', async () => {
  await rows(0.9);
  await world.takeBackup();
  await rows(null, 0.01, 0.9);
  await turn();
  expect([...world.shown.values()], 'rows 1 and 4, so that the goal is the hidden row 2').toEqual([1, 1]);
  await world.restoreBackup();
  await rows(0.9, 0.8, 0.7);
  await expectNothingLost();
});

it('hidden rows alone are no proof that the store is the same', async () => {
  await world.takeBackup();
  await rows(null, null, 0.5);
  await turn('discarded');
  await world.restoreBackup();
  await rows(0.9, 0.8, 0.7);
  await expectNothingLost();
});
