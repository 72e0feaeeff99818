/** A process of its own on a shared store: `worker.cjs PATH COMMAND ARGS…`; prints one line of JSON. */
import { openRelayService } from '../../../src/relay/service.ts';

const [path = '', command = '', who = '', count = '0'] = process.argv.slice(2);

async function main(): Promise<unknown> {
  const service = await openRelayService({ path, busyTimeoutMs: 20_000 });
  try {
    if (command === 'open') return await service.epoch();
    const me = await service.actAs(who);
    if (command === 'append') {
      for (let i = 0; i < Number(count); i++) {
        await service.send(me, { recipientAgentId: 'bob', kind: 'ack', body: `${who} ${i}`, messageId: `${who}.${i}` });
      }
      return Number(count);
    }
    // Acks what it has read until nothing came for a while and every sender is done.
    const seen: number[] = [];
    let ack = 0;
    while (seen.length < Number(count)) {
      const page = await service.pull(me, { ack, limit: 7 });
      for (const json of page.itemsJson) seen.push((JSON.parse(json) as { delivery_seq: number }).delivery_seq);
      ack = page.windowHigh;
      if (page.itemsJson.length === 0) await new Promise(resolve => setTimeout(resolve, 2));
    }
    return seen;
  } finally {
    await service.close();
  }
}

main().then(
  result => process.stdout.write(JSON.stringify(result)),
  error => {
    process.stderr.write(String(error?.stack));
    process.exitCode = 1;
  },
);
