import { saveCredential } from '../config/credentials.ts';
import { editConfig } from '../config/edit.ts';
import { originOf } from '../config/load.ts';
import type { SourceConfig } from '../config/schema.ts';
import { PreturnError } from '../errors.ts';
import { callApi } from '../lib/api.ts';
import { packageDir } from '../lib/package.ts';
import { cliFailures } from '../messages-cli.ts';
import { says } from '../messages-says.ts';
import { absoluteUrl, checkTransport } from './shared/account.ts';
import { type Account, openClient } from './shared/client.ts';
import type { Context, Result } from './shared/context.ts';
import { flag, text } from './shared/options.ts';
import { readAll, readHidden } from './shared/stdin.ts';

/** `preturn login`: checks an identity at a relay and remembers it. A token never comes as an argument. */
export async function run(context: Context): Promise<Result> {
  const given = text(context, 'url');
  if (given === undefined) throw cliFailures.noRelay();
  const url = absoluteUrl(context, given);
  const origin = originOf(url);
  const admin = flag(context, 'admin');
  const caFile = text(context, 'ca');
  if (origin.startsWith('file:')) return loginToFile(context, url, origin);
  if (text(context, 'agent') !== undefined) throw cliFailures.agentOnlyForFiles();
  if (!flag(context, 'tokenStdin')) throw cliFailures.tokenByStdin(origin);
  checkTransport(context, url);
  const token = await tokenOf(context);
  const account: Account = { url, origin, token, caFile, identity: '' };
  const client = await openClient(context, account);
  const me = await context.waiting(origin, client.me());
  if (!admin) await context.waiting(origin, checkDrain(context, account));
  await saveCredential(context.configDir, { origin, agentId: me.agentId, handle: me.handle, token });
  const name = admin ? undefined : await saveSource(context, { url, agent: me.agentId, ...(caFile ? { caFile } : {}) });
  return {
    text: name === undefined ? says.loggedInAdmin(me.handle, origin) : says.loggedIn(me.handle, origin, name),
    data: { origin, agentId: me.agentId, handle: me.handle, source: name ?? null },
  };
}

async function loginToFile(context: Context, url: string, origin: string): Promise<Result> {
  const agent = text(context, 'agent');
  if (agent === undefined) throw cliFailures.fileNeedsAgent();
  if (flag(context, 'tokenStdin')) throw cliFailures.fileNeedsNoToken();
  const client = await openClient(context, { url, origin, token: undefined, caFile: undefined, identity: agent });
  try {
    const me = await client.me();
    const name = await saveSource(context, { url, agent: me.handle });
    return {
      text: says.loggedIn(me.handle, origin, name),
      data: { origin, agentId: me.agentId, handle: me.handle, source: name },
    };
  } finally {
    await client.close();
  }
}

async function tokenOf(context: Context): Promise<string> {
  const { stdin } = context;
  if (stdin.isTTY) context.note(says.pasteToken());
  const token = (stdin.isTTY ? await readHidden(stdin) : await readAll(stdin)).trim();
  if (token === '') throw cliFailures.noTokenGiven();
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw cliFailures.notAToken();
  return token;
}

/** A token that may not drain would make every turn fail: found out now, by a pull that examines no row (rule 16). */
async function checkDrain({ env }: Context, { url, origin, token, caFile }: Account): Promise<void> {
  try {
    const body = { since: Number.MAX_SAFE_INTEGER };
    await callApi({ url, method: 'POST', path: '/v1/inbox:pull', token, caFile, env, body });
  } catch (error) {
    if (error instanceof PreturnError && error.code === 'forbidden') throw cliFailures.cannotDrain(origin);
    throw error;
  }
}

/** One source an origin: a second identity there replaces the first, unless it is given a name of its own. */
async function saveSource(context: Context, found: Pick<SourceConfig, 'url' | 'agent' | 'caFile'>): Promise<string> {
  const wanted = text(context, 'name');
  let name = '';
  await editConfig(context.configDir, draft => {
    const sources = draft.sources ?? [];
    const old = sources.find(one =>
      wanted === undefined ? originOf(one.url) === originOf(found.url) : one.name === wanted,
    );
    name = old?.name ?? wanted ?? freshName(sources);
    const source: SourceConfig = { ...old, name, kind: 'hyphae', ...found };
    draft.sources = old ? sources.map(one => (one === old ? source : one)) : [...sources, source];
    draft.packageDir ??= packageDir();
  });
  return name;
}

function freshName(sources: readonly SourceConfig[]): string {
  const names = new Set(sources.map(source => source.name));
  for (let at = 1; ; at++) {
    const name = at === 1 ? 'default' : `default-${at}`;
    if (!names.has(name)) return name;
  }
}
