import { inject } from 'vitest';
import { openClaude } from './claude.ts';
import { openCodex } from './codex.ts';
import type { Session } from './session.ts';
import './setup.ts';

const programs = inject('clients');

/** Opens a new throw-away home of one client. */
export type Open = () => Promise<Session>;

export interface Case {
  /** The version that runs, as the client states it. */
  readonly title: string;
  readonly client: Session['client'];
  readonly open: Open;
}

export const CLAUDE: Case = {
  title: programs.claude.version,
  client: 'claude',
  open: () => openClaude(programs.claude),
};

export const CODEX: Case = { title: programs.codex.version, client: 'codex', open: () => openCodex(programs.codex) };

/** Newest model that Claude Code gives hook text inside the user's message instead of a system message. */
const OLDER_MODEL = 'claude-opus-4-6';

/** For `describe.each`: both clients with their default models. */
export const CLIENTS: readonly Case[] = [CLAUDE, CODEX];

/** The same, and Claude Code with an older model. */
export const CLIENTS_AND_OLDER: readonly Case[] = [
  CLAUDE,
  { ...CLAUDE, title: `${CLAUDE.title}, ${OLDER_MODEL}`, open: () => openClaude(programs.claude, OLDER_MODEL) },
  CODEX,
];
