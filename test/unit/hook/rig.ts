import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runHook } from '../../../src/hook.ts';
import { openRelayService, type RelayService } from '../../../src/relay/service.ts';
import type { Report } from '../../../src/report.ts';
import type { HookIo } from '../../../src/run.ts';
import { pullFrom } from '../../../src/sources/hyphae/file.ts';
import type { PullRequest, Source } from '../../../src/sources/source.ts';
import { type Dialect, SimSession } from '../../helpers/session.ts';

export interface Rig {
  readonly dir: string;
  readonly relay: RelayService;
  readonly session: SimSession;
  /** What the relay was asked, in order. */
  readonly asked: PullRequest[];
  /** Epoch ms; tests move it. */
  clock: number;
  send(...bodies: string[]): Promise<void>;
  cursor(): Promise<number>;
  /** Runs the hook in this process. */
  run(stdin: object | undefined, more?: Partial<HookIo>): Promise<{ printed: string; report: Report }>;
  /** The source as a run sees it, to be wrapped by faults. */
  source(name: string, origin: string): Source;
}

/** One identity, bob, at a relay in memory; runs of the hook in this process with time, chance and files of their own. */
export async function hookRig(options: { env?: Record<string, string>; dialect?: Dialect } = {}): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), 'preturn-rig-'));
  const relay = await openRelayService({ path: ':memory:' });
  await relay.addAgent({ handle: 'bob' });
  await relay.addAgent({ handle: 'alice' });
  const me = await relay.actAs('bob');
  onTestFinished(async () => {
    await relay.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const env = {
    PRETURN_STATE_DIR: join(dir, 'state'),
    PRETURN_CONFIG_DIR: join(dir, 'config'),
    PRETURN_URL: 'file:/relay.db',
    PRETURN_AGENT: 'bob',
    ...options.env,
  };
  let nonces = 0;
  const rig: Rig = {
    dir,
    relay,
    session: new SimSession(dir, options.dialect ?? 'claude-code', 0),
    asked: [],
    clock: 1_800_000_000_000,
    async send(...bodies) {
      for (const content of bodies) await relay.deliver({ recipient: 'bob', from: 'alice', content });
    },
    cursor: async () => (await relay.pull(me, { since: Number.MAX_SAFE_INTEGER })).cursor,
    source: (name, origin) => ({
      name,
      origin,
      pull(request) {
        rig.asked.push(request);
        return pullFrom(relay, me, request, { name, origin });
      },
    }),
    async run(stdin, more = {}) {
      let printed = '';
      const report = await runHook({
        env,
        stdin: async () => (stdin === undefined ? { problem: 'none' } : { object: stdin as Record<string, unknown> }),
        harness: undefined,
        now: () => rig.clock,
        elapsed: () => 1,
        nonce: async () => `nonce${nonces++}abcdefghijklmnopqrst`,
        sleep: async () => {},
        write: async text => {
          printed += text;
        },
        open: ({ name, origin }) => rig.source(name, origin),
        fsync: () => {},
        ...more,
      });
      return { printed, report };
    },
  };
  return rig;
}

/** A file of the configuration directory. */
export function putConfig(rig: Rig, name: string, text: string): void {
  mkdirSync(join(rig.dir, 'config'), { recursive: true });
  writeFileSync(join(rig.dir, 'config', name), text, { mode: 0o600 });
}
