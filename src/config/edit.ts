import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { type ParseError, parseTree } from 'jsonc-parser';
import { describeParseError, place } from '../lib/json-place.ts';
import { failures } from '../messages.ts';
import { cliFailures } from '../messages-cli.ts';
import { exclusively } from './exclusive.ts';
import { CONFIG_FILE } from './paths.ts';
import { type Config, ConfigShape } from './schema.ts';

/** What stands in the file: only what the user set, unknown keys included (a newer preturn may own them). */
export type ConfigDraft = { [K in keyof Config]?: Config[K] | undefined };

/**
 * Changes the user's config.json under a lock and writes it back atomically, mode 0600.
 * The only importer of conf; the hook reads the same file without it.
 *
 * @param change mutates the draft; `undefined` values are removed
 * @returns the configuration as it now is, defaults filled in
 * @throws `config_invalid` when the file, or what it would become, is not valid (the file then stays as it is); `busy`
 */
export function editConfig(dir: string, change: (draft: ConfigDraft) => void): Promise<Config> {
  const file = join(dir, CONFIG_FILE);
  return exclusively(dir, () => {
    readDraft(dir);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const conf = new Conf<Record<string, unknown>>({
      cwd: dir,
      configName: 'config',
      projectSuffix: '',
      configFileMode: 0o600,
      // Clearing would erase a file that the user merely mistyped.
      clearInvalidConfig: false,
      deserialize: text => JSON.parse(withoutBom(text)),
    });
    const draft = structuredClone({ ...conf.store }) as ConfigDraft;
    change(draft);
    const valid = validated(file, draft);
    conf.store = JSON.parse(JSON.stringify(draft));
    return valid;
  });
}

/**
 * The file's own content without defaults; `{}` when there is none.
 * @throws `config_invalid` with line and column
 */
export function readDraft(dir: string): ConfigDraft {
  const file = join(dir, CONFIG_FILE);
  let text: string;
  try {
    text = withoutBom(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw cliFailures.fileTrouble('Reading', file, (error as Error).message, error);
  }
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  if (first) {
    const { line, column } = place(text, first.offset);
    throw cliFailures.configNotJson(file, line, column, describeParseError(first));
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw failures.configInvalid(file, 'it must hold one JSON object');
  }
  validated(file, value);
  return value as ConfigDraft;
}

function validated(file: string, draft: unknown): Config {
  const version = (draft as { version?: unknown }).version;
  if (typeof version === 'number' && version > 1) throw cliFailures.configNewer(file, version);
  try {
    return ConfigShape(draft, '');
  } catch (error) {
    throw failures.configInvalid(file, (error as Error).message);
  }
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
