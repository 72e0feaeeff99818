import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { runHook } from '../../../src/hook.ts';
import type { Principal } from '../../../src/relay/principal.ts';
import { openRelayService, type RelayService } from '../../../src/relay/service.ts';
import type { HookIo } from '../../../src/run.ts';
import { pullFrom } from '../../../src/sources/hyphae/file.ts';
import type { Source } from '../../../src/sources/source.ts';
import { type Dialect, SimSession } from '../../helpers/session.ts';

/** What a simulated process death throws. */
export class Killed extends Error {}

/** Faults of one hook run; probabilities are the caller's business. */
export interface RunFaults {
  /** Die at the n-th step of the run (1-based); 0 lives. */
  readonly killAt: number;
  /** The n-th call to the server commits, and its answer is lost; 0 loses none. */
  readonly loseAnswer: number;
}
export const NO_FAULTS: RunFaults = { killAt: 0, loseAnswer: 0 };

interface Row {
  readonly seq: number;
  readonly id: string;
  readonly visible: boolean;
  readonly expiresAt: number | undefined;
}

/** A machine with sessions of one identity, a relay, and a book of what every model really saw. */
export class World {
  readonly dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'preturn-world-'));
  readonly state = join(this.dir, 'state');
  readonly sessions: SimSession[];
  /** The latest time there was, epoch ms: mail that expired once does not come back when a clock does. */
  private latest = 0;
  /** Epoch ms; tests move it. */
  clock = 1_800_000_000_000;
  service!: RelayService;
  me!: Principal;
  rows: Row[] = [];
  /** Row id → how many times a model was given it. */
  readonly shown = new Map<string, number>();
  repeats = 0;
  /** Repeats that the injected faults explain at most. */
  allowed = 0;
  lost: string[] = [];
  private count = 0;
  private nonces = 0;
  private backup: { path: string; rows: Row[] } | undefined;

  constructor(dialects: readonly Dialect[]) {
    this.sessions = dialects.map((dialect, index) => new SimSession(this.dir, dialect, index));
  }

  async start(): Promise<void> {
    mkdirSync(this.state, { recursive: true });
    await this.serve(':memory:');
  }

  private async serve(path: string): Promise<void> {
    this.service = await openRelayService({ path, maxBatch: 20, clock: () => this.clock });
    const known = await this.service.listAgents();
    if (!known.some(agent => agent.handle === 'bob')) {
      await this.service.addAgent({ handle: 'bob', readScopes: ['team/a'] });
    }
    this.me = await this.service.actAs('bob');
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async append(
    messages: ReadonlyArray<{ visible: boolean; score: number; size: number; ttlMs?: number }>,
  ): Promise<void> {
    const rows = messages.map(({ visible, score, size, ttlMs }) => ({
      visible,
      expiresAt: ttlMs === undefined ? undefined : this.clock + ttlMs,
      score,
      content: `m${this.count++} ${'lorem ipsum '.repeat(Math.ceil(size / 12)).slice(0, size)}`,
    }));
    const delivered = await this.service.deliverAll(
      rows.map(({ visible, expiresAt, score, content }) => ({
        recipient: 'bob',
        content,
        score,
        scope: visible ? 'team/a' : 'team/b',
        expiresAt,
      })),
    );
    delivered.forEach(({ seq, deliveryId }, at) => {
      this.rows.push({ seq, id: deliveryId, visible: rows[at]!.visible, expiresAt: rows[at]!.expiresAt });
    });
  }

  /** One run of the hook; what it printed, or undefined when it died before the client read anything. */
  async hook(session: SimSession, stdin: Record<string, unknown>, faults: RunFaults): Promise<string | undefined> {
    let printed = '';
    let steps = 0;
    let calls = 0;
    let lock: { path: string; text: string } | undefined;
    const step = () => {
      if (++steps !== faults.killAt) return;
      // Death releases nothing: the lease stands until it ends by itself.
      const path = this.lockPath();
      if (path !== undefined) lock = { path, text: readFileSync(path, 'utf8') };
      throw new Killed();
    };
    const io: HookIo = {
      env: {
        PRETURN_STATE_DIR: this.state,
        PRETURN_CONFIG_DIR: join(this.dir, 'config'),
        PRETURN_URL: `file:${this.dir}/relay.db`,
        PRETURN_AGENT: 'bob',
        PRETURN_MAX_TOKENS: String(session.maxTokens),
      },
      stdin: async () => ({ object: stdin }),
      harness: undefined,
      now: () => this.clock,
      elapsed: () => 1,
      nonce: async () => `n${(this.nonces++).toString(36)}x${'0123456789abcdefghijkl'}`,
      sleep: async () => {},
      write: async text => {
        printed += text;
      },
      open: inbox => this.source(inbox.name, inbox.origin, step, () => ++calls === faults.loseAnswer),
      fsync: step,
      step,
    };
    try {
      await runHook(io);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      if (lock) writeFileSync(lock.path, lock.text);
    }
    return printed;
  }

  private source(name: string, origin: string, step: () => void, loses: () => boolean): Source {
    return {
      name,
      origin,
      pull: async request => {
        step();
        const lose = loses();
        const page = await pullFrom(this.service, this.me, request, { name, origin });
        if (lose) throw new Error('socket hang up');
        step();
        return page;
      },
    };
  }

  private lockPath(): string | undefined {
    const inboxes = join(this.state, 'inboxes');
    if (!existsSync(inboxes)) return undefined;
    const dir = readdirSync(inboxes)[0];
    const path = dir === undefined ? undefined : join(inboxes, dir, 'lock');
    return path !== undefined && existsSync(path) ? path : undefined;
  }

  /** A model was given these sequences. */
  see(sequences: readonly number[]): void {
    for (const seq of sequences) {
      const row = this.rows.find(entry => entry.seq === seq);
      if (!row) continue;
      const times = this.shown.get(row.id) ?? 0;
      if (times > 0) this.repeats++;
      this.shown.set(row.id, times + 1);
    }
  }

  async cursor(): Promise<number> {
    return (await this.service.pull(this.me, { since: Number.MAX_SAFE_INTEGER })).cursor;
  }

  /** The property: no visible row at or below the cursor that no model was given. */
  async audit(when: string): Promise<void> {
    this.latest = Math.max(this.latest, this.clock);
    const cursor = await this.cursor();
    for (const row of this.rows) {
      if (row.seq <= cursor && this.waits(row) && !this.shown.has(row.id)) {
        this.lost.push(`${row.seq} after ${when}`);
        this.shown.set(row.id, 0);
      }
    }
  }

  /** Visible and never expired. */
  waits(row: Row): boolean {
    return row.visible && (row.expiresAt === undefined || row.expiresAt > this.latest);
  }

  /** Visible rows that no model was given yet. */
  unseen(): number {
    return this.rows.filter(row => this.waits(row) && !this.shown.get(row.id)).length;
  }

  /** Rows that a lost memory may show again: given to a model, or on their way, and not acknowledged. */
  async forgettable(): Promise<number> {
    const cursor = await this.cursor();
    const underway = this.sessions.reduce((sum, session) => sum + session.pendingItems(), 0);
    return underway + this.rows.filter(row => row.seq > cursor && this.shown.has(row.id)).length;
  }

  async loseJournal(how: 'gone' | 'truncated'): Promise<void> {
    this.allowed += await this.forgettable();
    const inboxes = join(this.state, 'inboxes');
    for (const name of existsSync(inboxes) ? readdirSync(inboxes) : []) {
      const path = join(inboxes, name, 'journal.json');
      if (!existsSync(path)) continue;
      if (how === 'gone') rmSync(path);
      else writeFileSync(path, readFileSync(path).subarray(0, 40));
    }
  }

  /** A new store: other epoch, sequences from 1 again. What was not delivered died with the old one. */
  async resetServer(): Promise<void> {
    await this.service.close();
    this.rows = [];
    this.backup = undefined;
    for (const session of this.sessions) session.forgetItems();
    await this.serve(':memory:');
  }

  async takeBackup(): Promise<void> {
    const path = join(this.dir, `backup-${this.count}-${this.nonces}.db`);
    if (existsSync(path)) return;
    await sql`vacuum into ${path}`.execute(this.service.store.db);
    this.backup = { path, rows: [...this.rows] };
  }

  /** The old bytes under the same epoch, as when somebody copies a file back. */
  async restoreBackup(): Promise<void> {
    if (!this.backup) return;
    await this.service.close();
    const { path, rows } = this.backup;
    this.backup = undefined;
    const kept = new Set(rows.map(row => row.id));
    for (const session of this.sessions)
      session.keepItems(seq => kept.has(this.rows.find(row => row.seq === seq)?.id ?? ''));
    this.rows = rows;
    await this.serve(path);
    // What was acknowledged after the backup is unacknowledged again.
    this.allowed += await this.forgettable();
  }
}
