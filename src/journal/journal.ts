import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '../lib/digest.ts';
import { READ_LIMIT, readSmallFile, replaceFile } from '../lib/files.ts';
import { fits } from '../lib/shape.ts';
import { emptyJournal, type JournalFile, JournalShape } from './state.ts';

/** A journal opened for one run, under its lease. */
export interface Journal {
  readonly state: JournalFile;
  /** The file was there once and is gone or unreadable: everything pulled may be a repeat. */
  readonly lost: boolean;
  /** Writes the state durably where it changed. @throws the file system's own error */
  save(): void;
}

export interface InboxKey {
  readonly origin: string;
  /** Agent id, or a fingerprint of the token where the id is not known. */
  readonly identity: string;
}

/** Directory of one inbox's journal, lock and marker below the state directory. */
export function inboxDir(stateDir: string, key: InboxKey): string {
  return join(stateDir, 'inboxes', digest(`${key.origin}\n${key.identity}`));
}

/**
 * Opens the journal of an inbox. A missing file beside an existing generation marker, or a file that does not parse,
 * is a lost journal and not a first run.
 *
 * @param suffix distinguishes this run's temporary file
 * @param fsync  flushes a file descriptor to disk
 */
export function openJournal(dir: string, key: InboxKey, suffix: string, fsync?: (file: number) => void): Journal {
  const path = join(dir, 'journal.json');
  const marker = join(dir, 'generation');
  const found = read(path, key);
  let state = found;
  let lost = false;
  if (state === undefined) {
    const generation = readGeneration(marker);
    lost = generation > 0;
    state = emptyJournal(key.origin, key.identity, generation + 1);
  }
  const opened = state;
  let marked = found !== undefined;
  let written = found === undefined ? '' : JSON.stringify(found);
  return {
    state: opened,
    lost,
    save() {
      const text = JSON.stringify(opened);
      if (text === written) return;
      if (!marked) {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        replaceFile(marker, `${opened.generation}\n`, suffix, fsync);
        marked = true;
      }
      replaceFile(path, text, suffix, fsync);
      written = text;
    },
  };
}

function read(path: string, key: InboxKey): JournalFile | undefined {
  try {
    const state = fits(JournalShape, JSON.parse(readSmallFile(path, READ_LIMIT.journal).toString('utf8')));
    return state?.origin === key.origin && state.identity === key.identity ? state : undefined;
  } catch {
    return undefined;
  }
}

/** 0 when this inbox never had a journal; an unreadable marker still says that there was one. */
function readGeneration(marker: string): number {
  try {
    const value = Number.parseInt(readSmallFile(marker, READ_LIMIT.project).toString('utf8'), 10);
    return Number.isSafeInteger(value) && value > 0 ? value : 1;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 0 : 1;
  }
}
