import type { TestProject } from 'vitest/node';
import { type Clients, installClients } from './install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clients: Clients;
  }
}

/** Once a run, before any test file: installs the clients and says which versions run. */
export default async function setup(project: TestProject): Promise<void> {
  const clients = await installClients();
  console.log(`Clients under test: ${clients.claude.version}, ${clients.codex.version}`);
  project.provide('clients', clients);
}
