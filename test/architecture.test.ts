import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { AREAS, type Area, MAX_LINES, OPTIONAL_TOP_LEVEL, SOLE_IMPORTERS, TOP_LEVEL } from './helpers/import-rules.ts';
import { type Import, importsOf, modules, ROOT, readModule } from './helpers/imports.ts';

const all = modules();
const imports = all.flatMap(module => importsOf(module));

/** The area with the longest matching name or folder. */
function areaOf(module: string): Area | undefined {
  const fits = (name: string) => (name.endsWith('/') ? module.startsWith(name) : module === name);
  const length = (area: Area) => Math.max(0, ...area.modules.filter(fits).map(name => name.length));
  return AREAS.filter(area => length(area) > 0).sort((a, b) => length(b) - length(a))[0];
}

/** What the table calls the imported thing: an area, a package, or `node:`. */
function targetOf({ to }: Import): string {
  if (to.startsWith('node:')) return 'node:';
  return all.includes(to) ? areaOf(to)!.name : to;
}

/** Entries of the table that allow an import, the narrowest first. */
function allowing(entry: Import): string[] {
  const target = targetOf(entry);
  const wider = {
    type: [`type ${target}`, `lazy ${target}`, target],
    lazy: [`lazy ${target}`, target],
    static: [target],
  };
  return wider[entry.kind];
}

describe('imports', () => {
  it('every module belongs to one area, and every area has modules', () => {
    expect(all.filter(module => !areaOf(module))).toEqual([]);
    const names = AREAS.flatMap(area => area.modules);
    const missing = names.filter(
      name => !all.some(module => (name.endsWith('/') ? module.startsWith(name) : module === name)),
    );
    expect(missing, 'modules in the table that are gone').toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(AREAS)('$name imports only what the table allows', area => {
    const own = imports.filter(entry => areaOf(entry.from) === area && targetOf(entry) !== area.name);
    const forbidden = own.filter(entry => !allowing(entry).some(wanted => area.may.includes(wanted)));
    expect(forbidden.map(({ from, kind, to }) => `${from} → ${kind} ${to}`)).toEqual([]);
  });

  it.each(AREAS)('$name has no entry that nothing needs', area => {
    const own = imports.filter(entry => areaOf(entry.from) === area);
    // An entry is needed when it is the narrowest of its area that allows some import.
    const used = own.map(entry => allowing(entry).find(wanted => area.may.includes(wanted)));
    const width = (kind: Import['kind']) => ({ type: 0, lazy: 1, static: 2 })[kind];
    const stale = area.may.filter(entry => {
      const wanted = entry.startsWith('type ') ? 0 : entry.startsWith('lazy ') ? 1 : 2;
      return !own.some((use, at) => used[at] === entry && width(use.kind) >= wanted);
    });
    expect(stale, 'no longer imported, or only as `type …` or `lazy …`').toEqual([]);
  });

  it('a command imports no other command', () => {
    const commands = all.filter(module => /^commands\/[^/]+$/.test(module) && module !== 'commands/table');
    const crossing = imports.filter(
      ({ from, to }) => from !== to && from.startsWith('commands/') && commands.includes(to),
    );
    expect(crossing.filter(({ from }) => from !== 'commands/table')).toEqual([]);
  });

  it.each(Object.entries(SOLE_IMPORTERS))('%s is imported by %s alone', (name, importers) => {
    expect([...new Set(imports.filter(({ to }) => to === name).map(({ from }) => from))].sort()).toEqual(importers);
  });

  it('nothing is imported in a circle at load', () => {
    const edges = new Map(all.map(module => [module, imports.filter(e => e.from === module && e.kind === 'static')]));
    const done = new Set<string>();
    const visit = (module: string, path: readonly string[]): string[] => {
      if (path.includes(module)) return [[...path.slice(path.indexOf(module)), module].join(' → ')];
      if (done.has(module)) return [];
      const found = edges.get(module)!.flatMap(({ to }) => (all.includes(to) ? visit(to, [...path, module]) : []));
      done.add(module);
      return found;
    };
    expect(all.flatMap(module => visit(module, []))).toEqual([]);
  });

  it('every package that is imported is a dependency, and every dependency is imported', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const used = new Set(
      imports.map(targetOf).filter(name => name !== 'node:' && !AREAS.some(area => area.name === name)),
    );
    expect([...used].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('the walker sees every form of import', () => {
    const text = [
      "import { a } from './a.ts';\nimport type { B } from '../core/pack.ts';\nimport * as fs from 'node:fs';",
      "import {\n  c,\n  type D,\n} from '@scope/name/deep.js';\nimport './effect.ts';\nexport type { E } from 'zod/mini';",
      "export { f } from './f.ts';\nconst g = await import('./g.ts');\ntype H = typeof import('./h.ts');",
    ].join('\n');
    expect(
      importsOf('lib/x', text)
        .map(({ kind, to }) => `${kind} ${to}`)
        .sort(),
    ).toEqual([
      ...['lazy lib/g', 'static @scope/name', 'static lib/a', 'static lib/effect', 'static lib/f', 'static node:fs'],
      ...['type core/pack', 'type lib/h', 'type zod'],
    ]);
  });
});

describe('purity', () => {
  /** JavaScript without types and comments. */
  const code = (module: string) => transformSync(readModule(module), { loader: 'ts', legalComments: 'none' }).code;

  it.each(all.filter(module => module.startsWith('core/')))('%s has no clock, no randomness and no process', module => {
    expect(code(module)).not.toMatch(/\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bMath\.random\b|\bcrypto\b/);
    expect(code(module)).not.toMatch(/\bprocess\b|\bglobalThis\b|\bsetTimeout\b|\bconsole\b|\brequire\b|\bfetch\b/);
  });

  it('nothing in src takes chance from Math.random', () => {
    expect(all.filter(module => code(module).includes('Math.random'))).toEqual([]);
  });
});

describe('layout', () => {
  const walk = (dir: string) =>
    readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' }).map(
      file => `${dir}/${file.replaceAll('\\', '/')}`,
    );

  it('the top level holds what people and tools look for, and nothing else', () => {
    // Git's list where there is git; what it ignores does not count.
    const inGit = existsSync(join(ROOT, '.git'));
    const files = inGit
      ? execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
          .trim()
          .split('\n')
      : readdirSync(ROOT).filter(name => name !== 'node_modules' && name !== 'dist');
    const found = [...new Set(files.map(file => file.split('/')[0]!))].filter(name => existsSync(join(ROOT, name)));
    expect(found.filter(name => !TOP_LEVEL.includes(name))).toEqual([]);
    expect(TOP_LEVEL.filter(name => !found.includes(name) && !OPTIONAL_TOP_LEVEL.includes(name))).toEqual([]);
  });

  it.each(Object.entries(MAX_LINES))('no file below %s is longer than %i lines', (dir, most) => {
    const sources = walk(dir).filter(file => /\.(ts|mjs|cjs|sh)$/.test(file) && !file.startsWith('test/fixtures/'));
    const lines = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1;
    expect(sources.filter(file => lines(file) > most)).toEqual([]);
  });

  it('the package pins everything exactly and its lockfile records no download address', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
    expect(versions.filter(version => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });

  it('the package and its plugin manifests have one version', () => {
    const files = ['package.json', 'package-lock.json', '.claude-plugin/plugin.json', '.codex-plugin/plugin.json'];
    const versions = files.map(file => JSON.parse(readFileSync(join(ROOT, file), 'utf8')).version);
    expect(new Set(versions).size, String(versions)).toBe(1);
  });
});
