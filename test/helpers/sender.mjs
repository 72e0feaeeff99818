// A process of its own that sends numbered messages into a shared `file:` relay: sender.mjs DB FROM COUNT RECIPIENT...
import { openRelayService } from '../../dist/relay/service.js';

const [path, from, count, ...recipients] = process.argv.slice(2);
const service = await openRelayService({ path, busyTimeoutMs: 20_000 });
const me = await service.actAs(from);
const kinds = ['question', 'task', 'update', 'decision'];
for (let i = 0; i < Number(count); i++) {
  await service.send(me, {
    recipientAgentId: recipients[i % recipients.length],
    kind: kinds[i % kinds.length],
    body: `${from}-${i} ${'x'.repeat((i * 37) % 300)}`,
  });
  if (i % 20 === 0) await new Promise(resolve => setTimeout(resolve, 15));
}
await service.close();
