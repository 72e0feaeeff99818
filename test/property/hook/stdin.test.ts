import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHook } from '../../../src/hook.ts';
import { readStream } from '../../../src/lib/stdin.ts';
import { openRelayService, type RelayService } from '../../../src/relay/service.ts';
import { pullFrom } from '../../../src/sources/hyphae/file.ts';
import { cases } from '../../helpers/cases.ts';

let dir: string;
let relay: RelayService;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'preturn-stdin-'));
  relay = await openRelayService({ path: ':memory:' });
  await relay.addAgent({ handle: 'bob' });
});
afterAll(async () => {
  await relay.close();
  rmSync(dir, { recursive: true, force: true });
});

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('UserPromptSubmit', 'Stop', 'SessionEnd', '/dev/zero', '/etc'),
);
/** Stdin as clients write it, with fields missing, of other types, and unknown ones. */
const mostly = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.oneof(text, fc.jsonValue()) });
const rarely = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text });
const clientStdin = fc
  .record({
    session_id: mostly(fc.constantFrom('s1', 's2')),
    prompt_id: mostly(fc.uuid()),
    turn_id: rarely,
    transcript_path: mostly(fc.constant(undefined)),
    cwd: mostly(fc.constant('/proj')),
    hook_event_name: mostly(fc.constantFrom('UserPromptSubmit', 'UserPromptSubmit', 'Stop')),
    prompt: mostly(fc.string()),
    agent_id: rarely,
    timestamp: rarely,
    unknown_field: fc.jsonValue(),
  })
  .map(fields => Buffer.from(JSON.stringify(fields)));
const bytes = fc.oneof(
  clientStdin,
  fc.json().map(json => Buffer.from(json)),
  fc.uint8Array({ maxLength: 200 }).map(array => Buffer.from(array)),
  fc.tuple(clientStdin, fc.nat(200)).map(([json, at]) => json.subarray(0, at)),
);

let runs = 0;
async function run(stdin: Buffer, harness: string | undefined): Promise<{ printed: string; outcome: string }> {
  // Something always waits.
  await relay.deliver({ recipient: 'bob', content: `mail ${runs}` });
  let printed = '';
  const report = await runHook({
    env: {
      PRETURN_STATE_DIR: join(dir, 'state'),
      PRETURN_CONFIG_DIR: join(dir, 'config'),
      PRETURN_URL: 'file:/relay.db',
      PRETURN_AGENT: 'bob',
    },
    stdin: () => {
      const stream = new PassThrough();
      stream.end(stdin);
      return readStream(stream, 5000);
    },
    harness,
    now: () => 1_800_000_000_000 + runs++ * 3_600_000,
    elapsed: () => 1,
    nonce: async () => `nonce${runs}abcdefghijklmnop`,
    sleep: async () => {},
    write: async chunk => {
      printed += chunk;
    },
    open: ({ name, origin }) => ({
      name,
      origin,
      pull: async request => pullFrom(relay, await relay.actAs('bob'), request, { name, origin }),
    }),
    fsync: () => {},
  });
  return { printed, outcome: report.outcome };
}

/** Nothing, or one JSON object with no key but those that clients know. */
function isOneEnvelope(printed: string): boolean {
  if (printed === '') return true;
  const envelope = JSON.parse(printed) as Record<string, unknown>;
  return Object.keys(envelope).every(key => key === 'systemMessage' || key === 'hookSpecificOutput');
}

it('any bytes on stdin: the run reports, and stdout is one valid envelope or nothing', async () => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(bytes, async stdin => {
      const { printed, outcome } = await run(stdin, undefined);
      expect(isOneEnvelope(printed)).toBe(true);
      if (printed !== '') shown++;
      if (outcome !== 'ran') expect(printed).toBe('');
    }),
    { numRuns: cases() },
  );
  expect(shown, 'some of these stdins must be prompts').toBeGreaterThan(50);
});

it.each(['plain', 'json'])('any bytes, with %s asked for: the same', async harness => {
  await fc.assert(
    fc.asyncProperty(bytes, async stdin => {
      const { printed } = await run(stdin, harness);
      if (printed === '' || isJsonEnvelope(printed)) return;
      expect(printed).toMatch(/^(<preturn-mail [\s\S]*<\/preturn-mail>\n|\{"block":[\s\S]*\}\n)$/);
    }),
    { numRuns: cases() },
  );
});

function isJsonEnvelope(printed: string): boolean {
  try {
    return isOneEnvelope(printed);
  } catch {
    return false;
  }
}
