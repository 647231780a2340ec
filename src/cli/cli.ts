import { Command, CommanderError } from 'commander';
import { plainText } from '../base/log.ts';
import { loadConfiguration } from '../config/config.ts';
import { type Action, type CommandContext, type Handle, UsageError } from './command.ts';
import { buildCommand } from './commands/build.ts';
import { cpCommand } from './commands/cp.ts';
import { doctorCommand } from './commands/doctor.ts';
import { envCommand } from './commands/env.ts';
import { lsCommand } from './commands/ls.ts';
import { mcpCommand } from './commands/mcp.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { sessionCommand } from './commands/session.ts';
import { tokenCommand } from './commands/token.ts';
import { USAGE_STATUS } from './exitStatus.ts';
import { configurationFlags, configurationHelp, GLOBAL_OPTIONS } from './globalOptions.ts';
import { namedLanguage } from './namedLanguage.ts';
import { say, terminalLog } from './terminal.ts';

const HELP_WIDTH = 110;

/** What the command line needs from its process. */
export type Cli = Omit<CommandContext, 'configuration' | 'log'>;

/** Runs the command in `argv`; resolves with the exit status. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  let status = 0;
  const program = createProgram(cli, (ended) => {
    status = ended;
  });
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['--help'], { from: 'user' });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander throws after it has printed help, version or error message.
    return error.exitCode === 0 ? 0 : USAGE_STATUS;
  }
}

function createProgram(cli: Cli, onStatus: (status: number) => void): Command {
  const program = new Command('hothouse')
    .description('Run code in warm, sealed sandboxes')
    .version(cli.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void cli.terminal.stdout.write(text),
      writeErr: (text) => void cli.terminal.stderr.write(plainText(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'hothouse: ')),
      getOutHelpWidth: () => HELP_WIDTH,
    })
    .exitOverride()
    .showHelpAfterError("Run 'hothouse --help' for more information.")
    .addHelpText('after', () => configurationHelp(cli.languages));
  for (const option of GLOBAL_OPTIONS) program.addOption(option);
  for (const create of [
    runCommand,
    sessionCommand,
    lsCommand,
    cpCommand,
    envCommand,
    buildCommand,
    mcpCommand,
    serveCommand,
    tokenCommand,
    doctorCommand,
  ]) {
    const command: Command = create(
      handlerFor(cli, onStatus, () => command),
      cli.languages,
    );
    program.addCommand(command.copyInheritedSettings(program).helpCommand(false));
    command.showHelpAfterError(`Run 'hothouse ${command.name()} --help' for more information.`);
    for (const part of command.commands) {
      part.copyInheritedSettings(command);
      part.showHelpAfterError(`Run 'hothouse ${command.name()} ${part.name()} --help' for more information.`);
    }
  }
  return program;
}

function handlerFor(cli: Cli, onStatus: (status: number) => void, command: () => Command): Handle {
  return <Args extends readonly unknown[]>(action: Action<Args>) =>
    async (...args: Args) => {
      const context = await createContext(cli, command());
      try {
        onStatus(await action(context, ...args));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        command().error(`error: ${error.message}`);
      }
    };
}

async function createContext(cli: Cli, command: Command): Promise<CommandContext> {
  const values = command.optsWithGlobals();
  const language = namedLanguage([values.language, ...command.args], cli.languages) ?? cli.languages[0];
  const flags = configurationFlags(values, language?.id ?? '');
  const configuration = await loadConfiguration({ flags, env: cli.env, home: cli.home });
  // The doctor reports them on stdout.
  if (command.name() !== 'doctor') {
    const important = configuration.notes.filter((note) => note.important).map(({ text }) => text);
    for (const sentence of [...configuration.problems, ...important]) say(cli.terminal, sentence);
  }
  return { ...cli, configuration, log: terminalLog(cli.terminal, Boolean(values.verbose)) };
}
