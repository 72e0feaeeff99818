import type { Run } from './shared/context.ts';

export interface CommandSpec {
  /** `send`, or `agent add` for a command below another. */
  readonly name: string;
  readonly summary: string;
  /** As commander writes them: `<needed> [optional]`. */
  readonly args?: string;
  /** Flags and their description; a flag that ends in `...` may be repeated. */
  readonly options?: readonly (readonly [flags: string, description: string])[];
  readonly examples: readonly string[];
  readonly load: () => Promise<Run>;
}

const SOURCE = ['--source <n>', 'number or name of the source; the first without it'] as const;
const RELAY = [
  '--url <url>',
  'http(s)://HOST[:PORT] or file:/PATH; PRETURN_URL or the first source without it',
] as const;
const AS = ['--as <handle>', 'stored identity to act as; `admin` without it'] as const;
const INSECURE = ['--insecure-http', 'allow plain HTTP beyond this machine'] as const;
const SCOPE = ['--scope <scope>', 'user (default) or project'] as const;
const PLAN = ['--plan', 'show what would change; write nothing'] as const;

/** Every command, in the order of `preturn --help`. Each is imported only when it runs. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'demo',
    summary: 'show the main job on this machine: a relay, two agents, seven messages',
    examples: ['preturn demo', 'preturn demo --json'],
    load: async () => (await import('./demo.ts')).run,
  },
  {
    name: 'send',
    summary: 'send a message to an agent',
    args: '<to> [body]',
    options: [
      ['--kind <kind>', 'task, update (default), question, decision, handoff or ack'],
      ['--thread <id>', 'continue a thread'],
      ['--reply-to <id>', 'message id that this one answers'],
      ['--task <id>', 'ticket or task that it belongs to'],
      ['--ttl <time>', 'how long it survives unread, 5m to 7d; 7d without it'],
      ['--id <id>', 'idempotency key: a repetition with it never delivers twice'],
      SOURCE,
    ],
    examples: [
      'preturn send bob "The build is green."',
      'git diff | preturn send reviewer - --kind question --task PROJ-482',
      'preturn send bob "Still there?" --kind question --ttl 2h --json',
    ],
    load: async () => (await import('./send.ts')).run,
  },
  {
    name: 'inbox',
    summary: 'list what waits, acknowledging nothing',
    options: [['--limit <n>', 'messages to list, 50 without it'], SOURCE],
    examples: ['preturn inbox', 'preturn inbox --limit 200 --json'],
    load: async () => (await import('./inbox.ts')).run,
  },
  {
    name: 'read',
    summary: 'show one message whole, acknowledged or not',
    args: '<seq>',
    options: [SOURCE],
    examples: ['preturn read 41', 'preturn read 41 --source 2'],
    load: async () => (await import('./read.ts')).run,
  },
  {
    name: 'ack',
    summary: 'settle a message, or acknowledge many',
    args: '[seq]',
    options: [
      ['--through <seq>', 'acknowledge everything up to this sequence'],
      ['--all', 'acknowledge everything'],
      SOURCE,
    ],
    examples: ['preturn ack 41', 'preturn ack --through 41', 'preturn ack --all'],
    load: async () => (await import('./ack.ts')).run,
  },
  {
    name: 'login',
    summary: 'store an identity and drain its inbox',
    options: [
      ['--url <url>', 'http(s)://HOST[:PORT] or file:/PATH'],
      ['--token-stdin', 'read the token from stdin; it never comes as an argument'],
      ['--agent <handle>', 'who you are at a file: relay'],
      ['--admin', 'an administrator’s token: store it, drain nothing'],
      ['--name <name>', 'name of the source'],
      ['--ca <file>', 'PEM file of the relay’s private certificate authority'],
      INSECURE,
    ],
    examples: [
      'preturn login --url https://relay.example --token-stdin < token-file',
      'preturn login --url file:~/.local/share/preturn/relay.db --agent bob',
    ],
    load: async () => (await import('./login.ts')).run,
  },
  {
    name: 'install',
    summary: 'register the hook with an agent client',
    args: '<client>',
    options: [PLAN, SCOPE],
    examples: [
      'preturn install claude-code --plan',
      'preturn install claude-code',
      'preturn install codex --scope project',
    ],
    load: async () => (await import('./install.ts')).run,
  },
  {
    name: 'uninstall',
    summary: 'take it out again, leaving the file as it was',
    args: '<client>',
    options: [PLAN, SCOPE],
    examples: ['preturn uninstall claude-code', 'preturn uninstall codex --plan'],
    load: async () => (await import('./install.ts')).remove,
  },
  {
    name: 'doctor',
    summary: 'check everything between a message and a model',
    examples: ['preturn doctor', 'preturn doctor --json'],
    load: async () => (await import('./doctor.ts')).run,
  },
  {
    name: 'status',
    summary: 'inboxes, hooks and last runs at a glance',
    examples: ['preturn status'],
    load: async () => (await import('./status.ts')).run,
  },
  {
    name: 'config',
    summary: 'show what holds, and where it comes from',
    examples: ['preturn config', 'preturn config set maxTokens 1000', 'preturn config get ack'],
    load: async () => (await import('./config.ts')).show,
  },
  {
    name: 'config get',
    summary: 'print one value',
    args: '<key>',
    examples: ['preturn config get maxTokens'],
    load: async () => (await import('./config.ts')).get,
  },
  {
    name: 'config set',
    summary: 'set one value',
    args: '<key> <value>',
    examples: ['preturn config set maxTokens 1000', 'preturn config set ack next-turn'],
    load: async () => (await import('./config.ts')).set,
  },
  {
    name: 'config unset',
    summary: 'return one value to its default',
    args: '<key>',
    examples: ['preturn config unset maxTokens'],
    load: async () => (await import('./config.ts')).unset,
  },
  {
    name: 'pause',
    summary: 'let hooks end before any work; mail waits',
    examples: ['preturn pause'],
    load: async () => (await import('./config.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'end a pause',
    examples: ['preturn resume'],
    load: async () => (await import('./config.ts')).resume,
  },
  {
    name: 'relay',
    summary: 'serve a relay until Ctrl-C',
    options: [
      ['--host <host>', '127.0.0.1 without it'],
      ['--port <port>', '7717 without it; 0 takes any free one'],
      ['--store <store>', 'sqlite:PATH or :memory:; a file in the data directory without it'],
      ['--max-batch <n>', 'rows that one pull examines at most, 200 without it'],
      INSECURE,
    ],
    examples: ['preturn relay', 'preturn relay --port 0 --store :memory: --json'],
    load: async () => (await import('./relay.ts')).run,
  },
  {
    name: 'agent add',
    summary: 'add an agent and show its token once',
    args: '<handle>',
    options: [
      RELAY,
      ['--rights <list>', 'drain,send without it; also admin'],
      ['--scope <scope...>', 'scopes that it may read; all without it'],
      ['--ttl <time>', 'how long the token lasts; for ever without it'],
      ['--label <text>', 'note beside the token'],
      AS,
      INSECURE,
    ],
    examples: [
      'preturn agent add bob',
      'preturn agent add ci --rights send --ttl 90d',
      'preturn agent add bob --url file:relay.db',
    ],
    load: async () => (await import('./agent.ts')).add,
  },
  {
    name: 'agent list',
    summary: 'list the agents of a relay',
    options: [RELAY, AS, INSECURE],
    examples: ['preturn agent list', 'preturn agent list --url file:relay.db --json'],
    load: async () => (await import('./agent.ts')).list,
  },
  {
    name: 'agent revoke',
    summary: 'end an agent; its tokens stop at once',
    args: '<agent>',
    options: [RELAY, AS, INSECURE],
    examples: ['preturn agent revoke bob'],
    load: async () => (await import('./agent.ts')).revoke,
  },
  {
    name: 'hook',
    summary: 'what an agent client runs before a turn; always exits 0',
    options: [['--harness <name>', 'claude-code, codex, plain or json; stdin tells without it']],
    examples: ['preturn hook < stdin.json', 'preturn hook --harness plain < /dev/null'],
    load: async () => {
      const { main } = await import('../hook-main.ts');
      return async context => {
        await main(context.options.harness as string | undefined);
        return { text: '', data: undefined };
      };
    },
  },
];
