/**
 * Who may import whom. An area is a set of modules below src (a name, or a folder with its slash; the longest match
 * wins); inside an area everything may import everything, but for the exceptions at the end.
 *
 * `may` names areas, packages, or `node:` for Node's built-ins. `type X` allows X's types alone, `lazy X` only an
 * `import()` (and types). A disallowed import fails the architecture test, and so does an entry that nothing needs.
 */
export interface Area {
  readonly name: string;
  readonly modules: readonly string[];
  readonly may: readonly string[];
}

const area = (name: string, modules: readonly string[], may: readonly string[]): Area => ({ name, modules, may });

export const AREAS: readonly Area[] = [
  // Words.
  area('delivery', ['delivery'], []),
  area('errors', ['errors'], []),
  area('messages', ['messages'], ['errors']),
  area('messages-cli', ['messages-cli', 'messages-doctor', 'messages-says'], ['errors', 'core']),
  area('messages-relay', ['messages-relay'], ['errors']),
  area('report', ['report'], ['type delivery']),

  // The turn.
  area('core', ['core/'], ['delivery', 'messages']),
  area('journal', ['journal/'], ['node:', 'core', 'delivery', 'messages', 'lib', 'type errors', 'type source']),
  area('harnesses', ['harnesses/'], ['node:', 'type journal']),
  area('drain', ['drain'], ['errors', 'messages', 'type source']),
  area(
    'desk',
    ['desk'],
    [
      ...['node:', 'delivery', 'drain', 'harnesses', 'journal', 'messages'],
      ...['type core', 'type errors', 'type report', 'type run', 'type source', 'type sources'],
    ],
  ),
  area(
    'hook',
    ['hook'],
    [
      ...['config', 'core', 'desk', 'harnesses', 'journal', 'lib', 'messages'],
      ...['type report', 'type run', 'type sources'],
    ],
  ),
  area('run', ['run'], ['type config', 'type harnesses', 'type lib', 'type source', 'type sources']),
  area('hook-main', ['hook-main'], ['node:', 'config', 'hook', 'lib', 'sources', 'type run']),
  area('hook-bin', ['hook-bin'], ['node:', 'config', 'lib', 'type hook-main']),

  // Sources: the port, the table, and one area an adapter.
  area('source', ['sources/source'], ['type delivery']),
  area('sources', ['sources/index'], ['source-hyphae', 'type source']),
  area(
    'source-hyphae',
    ['sources/hyphae/'],
    ['node:', 'errors', 'lib', 'messages', 'type delivery', 'type source', 'relay-service', 'type relay'],
  ),

  // Configuration and libraries.
  area('config', ['config/'], ['node:', 'lib', 'messages', 'type core', 'type sources']),
  area(
    'config-edit',
    ['config/edit'],
    ['node:', 'conf', 'jsonc-parser', 'config', 'config-write', 'lib-json', 'messages', 'messages-cli'],
  ),
  area(
    'config-write',
    ['config/credentials', 'config/exclusive'],
    ['node:', 'config', 'journal', 'lib', 'messages-cli'],
  ),
  area('config-trust', ['config/trust-compile'], ['node:', 'config', 'lib', 'yaml', 'zod', 'type core']),
  area('lib', ['lib/'], ['node:', 'errors', 'messages', 'lazy lib-proxy']),
  area('lib-proxy', ['lib/proxy'], ['undici', 'errors', 'lib', 'messages']),
  area('lib-api', ['lib/api'], ['node:', 'undici', 'core', 'errors', 'lib', 'messages']),
  area('lib-json', ['lib/json-place'], ['jsonc-parser']),
  area(
    'install',
    [
      ...['harnesses/install', 'harnesses/jsonc', 'harnesses/jsonc-edit', 'harnesses/launcher', 'harnesses/meaning'],
      ...['harnesses/receipt', 'harnesses/registration', 'harnesses/settings', 'harnesses/settings-file'],
      ...['harnesses/targets', 'harnesses/codex-trust'],
    ],
    ['node:', 'jsonc-parser', 'smol-toml', 'config-write', 'lib', 'lib-json', 'messages-cli'],
  ),

  // The relay.
  area('relay', ['relay/'], ['node:', 'core', 'errors', 'messages-relay', 'type store']),
  area('relay-service', ['relay/service'], ['relay', 'store']),
  area('relay-schema', ['relay/schema'], ['zod', 'messages-relay', 'relay', 'type errors']),
  area('store', ['relay/store/'], ['node:', 'kysely', 'libsql', 'errors', 'messages-relay']),
  area(
    'surfaces',
    ['relay/surfaces/'],
    [
      ...['node:', 'fastify', 'zod', '@modelcontextprotocol/node', '@modelcontextprotocol/server'],
      ...['errors', 'messages-relay', 'relay', 'relay-schema', 'type relay-service'],
    ],
  ),
  area(
    'serve',
    ['relay/serve'],
    ['node:', 'type fastify', 'messages-relay', 'relay-service', 'surfaces', 'type relay'],
  ),

  // The command line.
  area(
    'commands',
    ['commands/'],
    [
      ...[
        'node:',
        'zod',
        'config',
        'config-edit',
        'config-trust',
        'config-write',
        'core',
        'delivery',
        'drain',
        'errors',
      ],
      ...['install', 'journal', 'lib', 'lib-api', 'messages', 'messages-cli', 'relay', 'lazy relay-service'],
      ...['serve', 'sources', 'surfaces', 'type report', 'type source'],
    ],
  ),
  area('command-table', ['commands/table'], ['lazy commands', 'lazy hook-main']),
  area(
    'cli',
    ['cli'],
    [
      'node:',
      'commander',
      'command-table',
      'commands',
      'config',
      'lazy config-trust',
      'errors',
      'lib',
      'lazy hook-main',
      'messages-cli',
    ],
  ),
  area('index', ['index'], ['errors', 'serve', 'type relay', 'type relay-service']),
];

/** Packages that only these modules may import, whatever the areas say. */
export const SOLE_IMPORTERS: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli'],
  conf: ['config/edit'],
  undici: ['lib/api', 'lib/proxy'],
  libsql: ['relay/store/sqlite', 'relay/store/sqlite-driver'],
  '@modelcontextprotocol/node': ['relay/surfaces/mcp'],
  '@modelcontextprotocol/server': ['relay/surfaces/mcp', 'relay/surfaces/mcp-server'],
};

/** What may stand at the top of the repository, beside what git ignores. */
export const TOP_LEVEL: readonly string[] = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', '.gitignore'],
  ...['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'],
  ...['src', 'hooks', 'test', 'templates', 'docs'],
  ...['.ci', '.claude-plugin', '.codex-plugin', '.mcp.json'],
];

/** Of these, what need not be there. */
export const OPTIONAL_TOP_LEVEL: readonly string[] = ['docs', '.mcp.json'];

/** Lines of a file; look again above 250. Tests may hold tables. */
export const MAX_LINES = { src: 300, test: 500 } as const;
