import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const SRC = join(ROOT, 'src');

/** `static` runs at load · `lazy` is an `import()` · `type` is gone at run time. */
export type Kind = 'static' | 'lazy' | 'type';

export interface Import {
  readonly from: string;
  readonly kind: Kind;
  /** A module of ours (`core/pack`), a built-in (`node:fs`) or a package (`zod`). */
  readonly to: string;
}

/** Every module below src, by its path without the ending: `core/pack`. */
export function modules(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
    .sort();
}

export function readModule(module: string): string {
  return readFileSync(join(SRC, `${module}.ts`), 'utf8');
}

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const CALL = /(typeof\s+)?\bimport\(\s*'([^']+)'\s*\)/g;

/** The imports of a module, from its text as the formatter leaves it: a statement begins its line. */
export function importsOf(module: string, text: string = readModule(module)): Import[] {
  const statements = [...text.matchAll(STATEMENT)].map(([, type, to]) => ({ kind: type ? 'type' : 'static', to }));
  const calls = [...text.matchAll(CALL)].map(([, type, to]) => ({ kind: type ? 'type' : 'lazy', to }));
  return [...statements, ...calls].map(({ kind, to }) => ({
    from: module,
    kind: kind as Kind,
    to: nameOf(module, to!),
  }));
}

function nameOf(module: string, specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  if (!specifier.startsWith('.')) return packageOf(specifier);
  const path = relative(SRC, resolve(SRC, dirname(module), specifier));
  return path.replaceAll('\\', '/').replace(/\.ts$/, '');
}

/** `@scope/name` or `name` of an import path or a path below node_modules. */
export function packageOf(path: string): string {
  const parts = path.replace(/^(.*\/)?node_modules\//, '').split('/');
  return parts.slice(0, parts[0]!.startsWith('@') ? 2 : 1).join('/');
}
