#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { Context, Result } from './commands/shared/context.ts';
import { safeJson } from './commands/shared/json.ts';
import { processContext } from './commands/shared/process.ts';
import { COMMANDS, type CommandSpec } from './commands/table.ts';
import { TRUST_FILE } from './config/trust.ts';
import { codeOf, edges, PreturnError } from './errors.ts';
import { packageVersion } from './lib/package.ts';
import { cliFailures } from './messages-cli.ts';

/** Commands that only hold others. */
const GROUPS: Readonly<Record<string, string>> = { agent: 'agents of a relay: add, list, revoke' };
const USAGE_EXIT = edges('bad_input').exit;

/** The program: commander's only user. Each command is imported when it runs. */
function program(finish: (exit: number) => void): Command {
  const root = new Command('preturn')
    .description('Brings an agent its mail before each turn.')
    .version(packageVersion())
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const spec of COMMANDS) define(parentOf(root, spec.name), spec, finish);
  return root;
}

/** `agent add` lives below `agent`, which a command of its own may have made already. */
function parentOf(root: Command, name: string): Command {
  const [group, below] = name.split(' ');
  if (below === undefined) return root;
  const found = root.commands.find(command => command.name() === group);
  return found ?? inherit(root.command(group!).description(GROUPS[group!] ?? ''), root);
}

function inherit(command: Command, root: Command): Command {
  return command.copyInheritedSettings(root);
}

function define(parent: Command, spec: CommandSpec, finish: (exit: number) => void): void {
  const words = spec.name.split(' ');
  const command = parent.command(words.at(-1)!).description(spec.summary).option('--json', 'print JSON for programs');
  if (spec.args !== undefined) command.arguments(spec.args);
  for (const [flags, description] of spec.options ?? []) command.option(flags, description);
  command.addHelpText('after', `\nExamples:\n${spec.examples.map(line => `  ${line}`).join('\n')}`);
  command.action(async (...all: unknown[]) => {
    // `config get --json`: the group knows the option too and takes it first.
    const options = (all.at(-1) as Command).optsWithGlobals();
    const args = (all.slice(0, -2) as (string | undefined)[]).filter(arg => arg !== undefined);
    finish(await execute(processContext(args, options), spec));
  });
}

async function execute(context: Context, spec: CommandSpec): Promise<number> {
  try {
    await compileTrust(context);
    const run = await spec.load();
    const result = await run(context);
    await print(context, result);
    return result.exit ?? 0;
  } catch (error) {
    return report(error, context.json);
  }
}

/** The hook reads trust.yaml as JSON only, so every command brings that up to date; doctor says what is wrong with it. */
async function compileTrust({ configDir, env }: Context): Promise<void> {
  if (!existsSync(join(configDir, TRUST_FILE))) return;
  const { compileTrustFile } = await import('./config/trust-compile.ts');
  compileTrustFile(env);
}

/** Resolves when the text is flushed. */
function print(context: Context, { text, data }: Result): Promise<void> {
  const out = context.json ? (data === undefined ? '' : safeJson(data)) : text;
  if (out === '') return Promise.resolve();
  return new Promise(resolve => process.stdout.write(`${out}\n`, () => resolve()));
}

/** What happened, why, what to do next: once, on stderr. @returns the exit code */
function report(thrown: unknown, json: boolean): number {
  if (process.env.PRETURN_DEBUG) console.error(thrown);
  const known = thrown instanceof PreturnError;
  const error = known ? thrown : cliFailures.internal(thrown instanceof Error ? thrown.message : String(thrown));
  const code = codeOf(error);
  const { message, hint } = error;
  const text = json
    ? safeJson({ error: { code, message, hint: hint ?? null } })
    : `preturn: ${message}${hint === undefined ? '' : `\n  ${hint}`}`;
  process.stderr.write(`${text}\n`);
  return edges(code).exit;
}

/** Commander's own words for a wrong command line, in our form. */
function usageError(error: CommanderError, argv: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // Help asked for by leaving everything out was printed by commander already.
  if (error.code === 'commander.help') return USAGE_EXIT;
  const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const command = argv.find(word => !word.startsWith('-'));
  const known = COMMANDS.some(({ name }) => name.split(' ')[0] === command);
  const hint = `See \`preturn ${known ? `${command} ` : ''}--help\`.`;
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return report(
    new PreturnError('bad_input', /[.)?]$/.test(sentence) ? sentence : `${sentence}.`, { hint }),
    argv.includes('--json'),
  );
}

async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on('error', () => process.exit(0));
  if (argv[0] === 'hook' && !argv.includes('--help') && !argv.includes('-h')) {
    // Nothing may come between a client and its turn, not even a wrong option.
    const at = argv.indexOf('--harness');
    const { main: hook } = await import('./hook-main.ts');
    return hook(at < 0 ? undefined : argv[at + 1]);
  }
  let exit = 0;
  try {
    await program(code => {
      exit = code;
    }).parseAsync(argv, { from: 'user' });
  } catch (error) {
    exit = error instanceof CommanderError ? usageError(error, argv) : report(error, argv.includes('--json'));
  }
  process.exit(exit);
}

await main(process.argv.slice(2));
