import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../base/log.ts';
import { loadConfiguration } from '../config/config.ts';
import { type Command, type CommandArguments, type CommandContext, UsageError } from './command.ts';
import { build } from './commands/build.ts';
import { doctor } from './commands/doctor.ts';
import { mcp } from './commands/mcp.ts';
import { run } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { USAGE_STATUS } from './exitStatus.ts';
import { configurationFlags, FLAG_OPTIONS } from './flags.ts';
import { commandHelp, generalHelp } from './help.ts';
import { say, terminalLog } from './terminal.ts';

/** Every command. */
const COMMANDS: readonly Command[] = [run, mcp, serve, doctor, build];

/** What the command line is composed of. */
export interface Cli extends Omit<CommandContext, 'configuration' | 'log'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Does what `argv` says; the value is the exit status. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  const [name = '--help', ...rest] = argv;
  const { stdout } = cli.terminal;
  if (name === '--version' || name === '-V') return print(stdout, cli.version);
  if (name === '--help' || name === '-h') return print(stdout, generalHelp(COMMANDS));
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) return misused(cli, `There is no command "${name}".`, 'hothouse --help');
  try {
    const args = parse(command, rest);
    if (args.values.help) return print(stdout, commandHelp(command));
    return await perform(command, args, cli);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return misused(cli, error.message, `hothouse ${command.name} --help`);
  }
}

async function perform(command: Command, args: CommandArguments, cli: Cli): Promise<number> {
  const configuration = await loadConfiguration({ flags: configurationFlags(args), env: cli.env, home: cli.home });
  // The doctor tells them in its report.
  if (command !== doctor) {
    const important = configuration.notes.filter((note) => note.important).map(({ text }) => text);
    for (const sentence of [...configuration.problems, ...important]) say(cli.terminal, sentence);
  }
  const log = terminalLog(cli.terminal, Boolean(args.values.verbose));
  return command.run({ ...cli, configuration, log }, args);
}

function parse(command: Command, args: string[]): CommandArguments {
  const options: ParseArgsConfig['options'] = { ...FLAG_OPTIONS, ...command.options };
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function print(stdout: Cli['terminal']['stdout'], text: string): number {
  stdout.write(`${text}\n`);
  return 0;
}

function misused({ terminal }: Cli, message: string, help: string): number {
  say(terminal, `${message} See: ${help}`);
  return USAGE_STATUS;
}
