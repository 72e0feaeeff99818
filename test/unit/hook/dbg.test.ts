import { readFileSync, readdirSync } from 'node:fs';
import { it } from 'vitest';
import { NO_FAULTS, World } from '../../property/turn/world.ts';
it('dbg', async () => {
  const world = new World(['claude-code']);
  await world.start();
  world.sessions[0]!.maxTokens = 300;
  const rows = (kinds: string) =>
    world.append([...kinds].map((kind, at) => ({ visible: kind === 'v', score: (9 - at) / 10, size: 4000 })));
  async function turn(fate: any = 'given') {
    const client = world.sessions[0]!;
    const orig = world.service.pull;
    client.nextTurn();
    const s: any = (world as any).service;
    if (!s.__w) { s.__w = 1; const p = s.pull.bind(s); s.pull = async (...a: any[]) => { const r = await p(...a); console.log('PULL', JSON.stringify(a.slice(1)), r.cursor, r.windowHigh, r.ack, r.itemsJson.length, r.epoch); return r; }; }
    const out = await world.hook(client, client.stdin('UserPromptSubmit'), NO_FAULTS);
    console.log('OUT', out && out.slice(0, 400));
    client.receive(out, fate);
    world.see(client.answer());
    client.over();
    await world.audit('a turn');
  }
  await world.takeBackup();
  await rows('hhv');
  await turn('discarded');
  await world.restoreBackup();
  await rows('vvv');
  await turn();
  await turn();
  console.log(world.lost, world.rows);
});
