import { Command } from 'commander';
import { type CommandContext, type Handle, UsageError } from '../command.ts';
import { type Copied, copyPathIn, copyStreamIn } from '../copy/copyIn.ts';
import { copyPathOut, copyStreamOut } from '../copy/copyOut.ts';
import { addServerOptions, findFiles, reportRefusal, type ServerOptions, TOKEN_VARIABLE } from '../copy/findServer.ts';
import { directionOf, parsePlace } from '../copy/place.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { say } from '../terminal.ts';

const MB = 1024 * 1024;
const NOTES = `
SOURCE or TARGET is SESSION:PATH or, as SOURCE, RUN:PATH; the other is a path of this machine, or - for standard
input or output: one file as it is, and for a folder a tar archive. FOLDER/. means what is in the folder.
A local path with a colon begins with ./ or /.

Sessions of every \`hothouse serve\` of yours on this machine are found, and those of VS Code windows.
--server takes the address of another one, with the token in ${TOKEN_VARIABLE} or in the file of --token-file.

  hothouse cp data.csv py-3f9a2c81:data/
  hothouse cp py-3f9a2c81:out.png .
  hothouse cp py-3f9a2c81:results - | tar -t`;

interface CopyOptions extends ServerOptions {
  readonly overwrite?: boolean;
  readonly quiet?: boolean;
}

/** `hothouse cp`: copies files to and from a session, or from a run. */
export function cpCommand(handle: Handle): Command {
  const command = new Command('cp')
    .description('Copy files to and from a session')
    .argument('<SOURCE>', 'what to copy')
    .argument('<TARGET>', 'where it goes')
    .option('--overwrite', 'lets the files of a folder replace local files')
    .option('-q, --quiet', 'print nothing unless something is left out');
  return addServerOptions(command)
    .addHelpText('after', NOTES)
    .action(
      handle(async (context, source: string, target: string, options: CopyOptions) => {
        try {
          const { files, bytes, leftOut } = await copy(context, source, target, options);
          for (const entry of leftOut) say(context.terminal, `not copied: ${entry}`);
          const size = bytes < MB ? `${bytes} bytes` : `${(bytes / MB).toFixed(1)} MB`;
          if (!options.quiet) say(context.terminal, `copied ${files} ${files === 1 ? 'file' : 'files'} (${size})`);
          return leftOut.length === 0 ? 0 : FAILURE_STATUS;
        } catch (error) {
          return reportRefusal(error, context);
        }
      }),
    );
}

async function copy(context: CommandContext, source: string, target: string, options: CopyOptions): Promise<Copied> {
  const { direction, remote, other } = directionOf(parsePlace(source), parsePlace(target));
  if (other.kind === 'local' && other.path === '') throw new UsageError('a path is empty.');
  const files = await findFiles(remote, options, context);
  const { stdin, stdout } = context.terminal;
  if (direction === 'in') {
    if (other.kind === 'local') return copyPathIn(other.path, files, remote.path);
    return copyStreamIn(stdin, files, remote.path);
  }
  if (other.kind === 'local') return copyPathOut(files, remote.path, other.path, options.overwrite ?? false);
  return copyStreamOut(files, remote.path, stdout);
}
