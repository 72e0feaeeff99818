import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PreturnError } from '../errors.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import { createRelay, type Relay } from '../relay/serve.ts';
import { isLoopback } from '../relay/surfaces/http-guard.ts';
import type { Context, Result } from './shared/context.ts';
import { flag, integerOption, text } from './shared/options.ts';

export const ADMIN_HANDLE = 'admin';
const DEFAULT_PORT = 7717;

/** `preturn relay`: serves until SIGINT or SIGTERM. */
export async function run(context: Context): Promise<Result> {
  const host = text(context, 'host') ?? '127.0.0.1';
  const port = integerOption(context, 'port', 0, 65_535) ?? DEFAULT_PORT;
  const maxBatch = integerOption(context, 'maxBatch', 1, 10_000);
  const insecureHttp = flag(context, 'insecureHttp');
  if (!isLoopback(host) && !insecureHttp) throw cliFailures.publicBind(host);
  const store = storeOf(context);
  const ended = signalled();
  const relay = await createRelay({ store, ...(maxBatch === undefined ? {} : { maxBatch }) });
  try {
    const { url } = await listen(relay, host, port, insecureHttp);
    const token = await firstToken(relay);
    announce(context, { url, store, token });
    await ended.promise;
  } finally {
    ended.stop();
    await relay.close();
  }
  return { text: '', data: undefined };
}

/** `:memory:`, `sqlite:PATH` (made absolute), by default the database in the data directory. */
function storeOf(context: Context): string {
  const given = text(context, 'store') ?? `sqlite:${join(context.dataDir, 'relay.db')}`;
  if (!given.startsWith('sqlite:') || given === 'sqlite:') return given;
  const path = resolve(context.cwd, given.slice('sqlite:'.length));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cliFailures.fileTrouble('Making the directory of', path, (error as Error).message, error);
  }
  return `sqlite:${path}`;
}

async function listen(relay: Relay, host: string, port: number, insecureHttp: boolean) {
  try {
    return await relay.listen({ host, port, insecureHttp });
  } catch (error) {
    if (error instanceof PreturnError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw cliFailures.portTaken(host, port);
    throw cliFailures.cannotListen(host, port, code ?? message);
  }
}

/** A store without agents is new: it gets its administrator, whose token is shown once. */
async function firstToken(relay: Relay): Promise<string | undefined> {
  if ((await relay.service.listAgents()).length > 0) return undefined;
  return (await relay.addAgent({ handle: ADMIN_HANDLE, rights: ['admin'], label: 'first start' })).token;
}

function announce(
  { json, say }: Context,
  started: { readonly url: string; readonly store: string; readonly token: string | undefined },
): void {
  const { url, store, token } = started;
  if (json) say(JSON.stringify({ url, store, ...(token === undefined ? {} : { adminToken: token }) }));
  else {
    say(says.relayStarted(url, store));
    if (token !== undefined) say(says.adminToken(url, token));
  }
}

function signalled(): { readonly promise: Promise<void>; stop(): void } {
  let end: () => void = () => {};
  const promise = new Promise<void>(done => {
    end = done;
  });
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  return {
    promise,
    stop() {
      // From here on the system's own reaction: a second Ctrl-C ends a close that hangs.
      process.removeListener('SIGINT', end);
      process.removeListener('SIGTERM', end);
    },
  };
}
