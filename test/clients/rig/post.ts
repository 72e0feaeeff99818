import { createRelay, type Relay } from '../../../src/index.ts';

/** A message to put into bob's inbox; `score` 0 to 1, by kind when omitted. */
export interface Mail {
  readonly content: string;
  readonly kind?: string;
  readonly score?: number;
}

/** A real relay on loopback with two agents: alice sends, bob's turns are under test. */
export interface Post {
  readonly relay: Relay;
  readonly url: string;
  /** Bob's token. */
  readonly token: string;
  /** Appends to bob's inbox in one transaction; returns the sequences. */
  send(...mail: readonly Mail[]): Promise<readonly number[]>;
  /** Bob's acknowledged watermark on the server. */
  cursor(): Promise<number>;
  close(): Promise<void>;
}

export async function openPost(): Promise<Post> {
  const relay = await createRelay();
  const { service } = relay;
  await relay.addAgent({ handle: 'alice' });
  const { token } = await relay.addAgent({ handle: 'bob' });
  const { url } = await relay.listen();
  const bob = await service.actAs('bob');
  return {
    relay,
    url,
    token,
    send: async (...mail) => {
      const list = mail.map(message => ({ ...message, recipient: 'bob', from: 'alice' }));
      return (await service.deliverAll(list)).map(({ seq }) => seq);
    },
    cursor: async () => (await service.pull(bob)).cursor,
    close: () => relay.close(),
  };
}
