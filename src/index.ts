export type { ErrorCode } from './errors.ts';
export { PreturnError } from './errors.ts';
export type { AddedAgent, AgentInfo, NewAgent } from './relay/agents.ts';
export type { Principal, Right } from './relay/principal.ts';
export type { ListenOptions, Relay, RelayOptions } from './relay/serve.ts';
export { createRelay } from './relay/serve.ts';
export type { RelayService } from './relay/service.ts';
