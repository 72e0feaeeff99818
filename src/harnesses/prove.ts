import type { Intent } from '../journal/state.ts';
import type { Harness, TranscriptFact } from './harness.ts';
import { MAX_RECORD, readRecords } from './transcript.ts';

/** Descendants remembered of our entry: records between it and the answer are few. */
const MAX_LEAVES = 32;

/**
 * Reads each intent's transcript forward and decides what became of its block.
 *
 * Proven: the whole block stands in the right kind of entry, and an answer that descends from it follows.
 * Released: the client moved on without it, or cut it; it may still be proven later (a fork copies old records under
 * the new prompt's id, so moving on can be misread, and then costs one repeat).
 * Everything else stays as it was. Mutates the intents; returns the proven ones.
 *
 * @param maxBytes bound on transcript bytes read in this run, all intents together
 */
export function proveIntents(
  intents: readonly Intent[],
  harnessOf: (name: string) => Harness | undefined,
  maxBytes: number,
): Intent[] {
  const proven: Intent[] = [];
  let budget = maxBytes;
  for (const intent of intents) {
    if (intent.mode !== 'confirmed' || intent.transcript === undefined || budget < MAX_RECORD) continue;
    const facts = harnessOf(intent.harness)?.facts;
    if (!facts) continue;
    const reader = { done: false };
    const next = readRecords(intent.transcript, intent, budget, record => {
      if (!reader.done) reader.done = weigh(intent, facts(record));
    });
    if (!next) continue;
    budget -= Math.max(0, next.offset - intent.offset);
    intent.offset = next.offset;
    intent.skipping = next.skipping;
    if (reader.done) proven.push(intent);
  }
  return proven;
}

/** Takes one fact into account; true when it proves the intent. */
export function weigh(intent: Intent, fact: TranscriptFact): boolean {
  const descends = fact.parent !== undefined && intent.leaves.includes(fact.parent);
  const { evidence } = fact;
  if (evidence?.kind === 'context' && intent.status !== 'placed') {
    const text = evidence.texts.find(part => part.includes(intent.nonce));
    if (text !== undefined) {
      intent.status = holdsWhole(text, intent) ? 'placed' : 'released';
      intent.leaves = fact.id === undefined ? [] : [fact.id];
      return false;
    }
  }
  if (intent.status === 'placed') {
    // Without ids the transcript is a plain list, and order is descent.
    const follows = intent.leaves.length === 0 || descends;
    if (evidence?.kind === 'answer' && follows) return true;
    if (descends && fact.id !== undefined) intent.leaves = [...intent.leaves, fact.id].slice(-MAX_LEAVES);
    return false;
  }
  if (movedOn(intent, fact)) intent.status = 'released';
  return false;
}

/** Whether the client's record shows that the turn went on, or ended, without our block. */
function movedOn(intent: Intent, { evidence }: TranscriptFact): boolean {
  if (!evidence || intent.turn === undefined) return false;
  if (evidence.kind === 'answer') return intent.turnSeen;
  if (evidence.kind === 'context') return false;
  if (evidence.turn === intent.turn) {
    intent.turnSeen = true;
    return evidence.kind === 'ended';
  }
  return intent.turnSeen;
}

function holdsWhole(text: string, intent: Intent): boolean {
  // Not by equality: a client may put its own words around ours. No peer can forge it, for it holds the nonce.
  return text.includes(intent.block);
}
