import { onTestFinished } from 'vitest';
import { createRelay, type NewAgent, type Relay, type RelayOptions } from '../../src/index.ts';

export interface TestAgent {
  readonly agentId: string;
  readonly handle: string;
  readonly token: string;
}

export interface TestRelay<Handle extends string> {
  readonly relay: Relay;
  readonly url: string;
  readonly port: number;
  readonly agents: Readonly<Record<Handle, TestAgent>>;
}

/** A relay with agents on a free loopback port; closed when the test that started it ends. */
export async function startRelay<const Handle extends string>(
  agents: readonly (Handle | (NewAgent & { handle: Handle }))[],
  options: RelayOptions = {},
): Promise<TestRelay<Handle>> {
  const relay = await createRelay(options);
  onTestFinished(() => relay.close());
  const added: Partial<Record<Handle, TestAgent>> = {};
  for (const agent of agents) {
    const input: NewAgent & { handle: Handle } = typeof agent === 'string' ? { handle: agent } : agent;
    added[input.handle] = await relay.addAgent(input);
  }
  const { url, port } = await relay.listen();
  return { relay, url, port, agents: added as Record<Handle, TestAgent> };
}
