import { openClaude } from './claude.ts';
import { openCodex } from './codex.ts';
import { installClients } from './install.ts';
import type { Session } from './session.ts';

const programs = await installClients();
console.log(`Clients under test: ${programs.claude.version}, ${programs.codex.version}`);

/** Opens a new throw-away home of one client. */
export type Open = () => Promise<Session>;

/** For `describe.each`: both clients, named with the version that runs. */
export const CLIENTS: readonly { readonly title: string; readonly client: Session['client']; readonly open: Open }[] = [
  { title: programs.claude.version, client: 'claude', open: () => openClaude(programs.claude) },
  { title: programs.codex.version, client: 'codex', open: () => openCodex(programs.codex) },
];
