import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { replaceFile } from '../lib/files.ts';
import { fits, flag, type Infer, integer, list, nullable, object, oneOf, text } from '../lib/shape.ts';
import { digest } from './settings-file.ts';

/**
 * What an install did to one settings file, so that uninstall restores its bytes. It holds our own insertions and
 * hashes, never the user's text: settings files hold secrets.
 */
const ReceiptShape = object({
  v: oneOf(1),
  harness: text(),
  /** The path as the client knows it. */
  file: text(),
  /** There was no file. */
  absent: flag,
  /** Directories that were made for it, outermost first. */
  madeDirs: list(text()),
  /** JSON containers that we created; null when their origin is not known. */
  containers: nullable(list(text())),
  /**
   * The exact inverse, valid while the file still is what we wrote; null after an update in place. SHA-256 of the text
   * before and after; offsets in UTF-16 units of the text before.
   */
  exact: nullable(
    object({ before: text(), after: text(), insertions: list(object({ offset: integer(0), text: text() })) }),
  ),
});
export type Receipt = Infer<typeof ReceiptShape>;

const folder = (dataDir: string) => join(resolve(dataDir), 'install');

function pathOf(dataDir: string, harness: string, target: string): string {
  return join(folder(dataDir), `${harness}-${digest(target).slice(0, 16)}.json`);
}

/** Undefined when there is none, or none that can be read: uninstall then goes by the entries alone. */
export function readReceipt(dataDir: string, harness: string, target: string): Receipt | undefined {
  try {
    return fits(ReceiptShape, JSON.parse(readFileSync(pathOf(dataDir, harness, target), 'utf8')));
  } catch {
    return undefined;
  }
}

/** @throws the file system's own error */
export function writeReceipt(dataDir: string, target: string, receipt: Receipt): void {
  const path = pathOf(dataDir, receipt.harness, target);
  replaceFile(path, `${JSON.stringify(receipt, null, 2)}\n`, randomBytes(6).toString('hex'));
}

/** @returns whether other installs remain */
export function dropReceipt(dataDir: string, harness: string, target: string): boolean {
  rmSync(pathOf(dataDir, harness, target), { force: true });
  try {
    if (readdirSync(folder(dataDir)).length > 0) return true;
    rmdirSync(folder(dataDir));
  } catch {}
  return false;
}
