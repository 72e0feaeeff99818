// The relay of the benchmark, in a process of its own: the bench's event loop must not serve the requests it times.
// Talks over node's IPC: {id, op, ...arguments} → {id, result} or {id, error}.
import { createRelay } from '../../dist/index.js';
import { openRelayService } from '../../dist/relay/service.js';

const relay = await createRelay();
const { url } = await relay.listen();

/** Messages of the benchmark: kinds and scores vary, so that ranking has work. */
function messages(recipient, from, count, bytes) {
  const kinds = ['question', 'task', 'update', 'decision', 'handoff'];
  return Array.from({ length: count }, (_, i) => ({
    recipient,
    from,
    kind: kinds[i % kinds.length],
    score: ((i * 37) % 100) / 100,
    content:
      `Item ${i}: the build of branch topic-${i} is done. ${'Please have a look at it. '.repeat(bytes / 26)}`.slice(
        0,
        bytes,
      ),
  }));
}

/** Runs on the relay's own service, or on a `file:` store that is open only meanwhile, as a sender's would be. */
async function withService(path, work) {
  if (path === undefined) return work(relay.service);
  const service = await openRelayService({ path });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

const operations = {
  url: () => url,
  addAgent: ({ path, handle }) => withService(path, service => service.addAgent({ handle })),
  deliver: ({ path, recipient, from, count, bytes }) =>
    withService(path, async service => {
      const all = messages(recipient, from, count, bytes);
      for (let i = 0; i < all.length; i += 500) await service.deliverAll(all.slice(i, i + 500));
    }),
  pending: ({ path, handle }) =>
    withService(path, async service => (await service.listAgents()).find(agent => agent.handle === handle).pending),
};

process.on('message', async ({ id, op, ...args }) => {
  try {
    process.send({ id, result: await operations[op](args) });
  } catch (error) {
    process.send({ id, error: error.message });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
