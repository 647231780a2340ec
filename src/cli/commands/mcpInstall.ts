import { realpathSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { plainText } from '../../base/log.ts';
import { planChange } from '../../clients/change.ts';
import { CLIENTS, type Place, type ServerProgram } from '../../clients/client.ts';
import { writeClientFile } from '../../clients/clientFile.ts';
import { type CommandContext, type Handle, UsageError } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { say } from '../terminal.ts';

interface InstallOptions {
  readonly dryRun?: boolean;
}

const NOTES = `
Prints the change as a diff, keeps a copy of the old file beside it, and replaces the file at once. What is already
there is not changed. Restart the client afterwards.`;

/** `hothouse mcp install` and `hothouse mcp uninstall`: add the server to a client's configuration, and remove it. */
export function installCommands(handle: Handle): Command[] {
  const command = (name: string, description: string, program: () => ServerProgram | null) =>
    new Command(name)
      .description(description)
      .addArgument(
        new Argument('<CLIENT>', 'a program, or a file of the current folder').choices(CLIENTS.map(({ id }) => id)),
      )
      .option('--dry-run', 'print the change only')
      .addHelpText('after', NOTES)
      .action(handle((context, id: string, options: InstallOptions) => change(context, id, program(), options)));
  return [
    command('install', "Add this server to an MCP client's configuration", thisProgram),
    command('uninstall', "Remove this server from an MCP client's configuration", () => null),
  ];
}

/** This program by its full path, since programs with windows often have a short PATH. */
function thisProgram(): ServerProgram {
  return { command: process.execPath, args: [realpathSync(process.argv[1] ?? ''), 'mcp'] };
}

async function change(
  { terminal, env, home }: CommandContext,
  id: string,
  program: ServerProgram | null,
  { dryRun }: InstallOptions,
): Promise<number> {
  const client = CLIENTS.find((known) => known.id === id);
  if (!client) throw new UsageError(`There is no client ${id}.`);
  const place: Place = { platform: process.platform, home, env, folder: process.cwd() };
  const planned = await planChange(client, place, program);
  if (!planned.ok) {
    say(terminal, planned.problem);
    return FAILURE_STATUS;
  }
  const { file, after, diff } = planned.value;
  if (diff === '') {
    say(terminal, `${file.path} ${program ? 'has Hothouse already' : 'does not have Hothouse'}; nothing changes`);
    return 0;
  }
  terminal.stdout.write(plainText(diff));
  if (dryRun) return 0;
  const backup = await writeClientFile(file, after);
  const copy = backup ? `; the old file is ${backup}` : '';
  say(
    terminal,
    `${program ? 'added Hothouse to' : 'removed Hothouse from'} ${client.label}${copy}. Restart it to apply the change`,
  );
  return 0;
}
