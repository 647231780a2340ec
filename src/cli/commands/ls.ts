import { Command } from 'commander';
import { plainText } from '../../base/log.ts';
import { type CommandContext, type Handle, UsageError } from '../command.ts';
import { addServerOptions, findFiles, reportRefusal, type ServerOptions } from '../copy/findServer.ts';
import { parsePlace } from '../copy/place.ts';
import type { RemoteEntry } from '../copy/remoteFiles.ts';
import { ToolError } from '../copy/toolClient.ts';
import { jsonLine } from '../terminal.ts';

const NOTES = `
PLACE is SESSION, SESSION:PATH, or RUN: for the files that a run has made. Servers are found as by \`hothouse cp\`.

  hothouse ls py-3f9a2c81
  hothouse ls --long --recursive py-3f9a2c81:data`;

interface ListOptions extends ServerOptions {
  readonly long?: boolean;
  readonly recursive?: boolean;
  readonly json?: boolean;
}

/** `hothouse ls`: lists the files of a session, or those that are kept of a run. */
export function lsCommand(handle: Handle): Command {
  const command = new Command('ls')
    .description('List the files of a session')
    .argument('<PLACE>', 'what to list')
    .option('-l, --long', 'with the size of each file in bytes')
    .option('-R, --recursive', 'also what is in folders')
    .option('--json', 'print them as JSON');
  return addServerOptions(command)
    .addHelpText('after', NOTES)
    .action(
      handle(async (context, place: string, options: ListOptions) => {
        try {
          show(context, await entriesOf(context, place, options), options);
          return 0;
        } catch (error) {
          return reportRefusal(error, context);
        }
      }),
    );
}

async function entriesOf(
  context: CommandContext,
  place: string,
  options: ListOptions,
): Promise<readonly RemoteEntry[]> {
  // A name alone is a session or a run, whose folder is meant.
  const remote = parsePlace(/^[^./\\:][^/\\:]+$/.test(place) ? `${place}:` : place);
  if (remote.kind === 'local' || remote.kind === 'stream') {
    throw new UsageError('PLACE must be SESSION, SESSION:PATH or RUN:.');
  }
  const files = await findFiles(remote, options, context);
  try {
    return await files.list(remote.path, options.recursive ?? false);
  } catch (error) {
    // Of a file, its own entry, as `ls` lists it.
    if (!(error instanceof ToolError) || remote.path === '') throw error;
    const size = await files.sizeOf(remote.path).catch(() => null);
    if (size === null) throw error;
    return [{ path: remote.path, type: 'file', size }];
  }
}

/** Names are user code's: without what a terminal would obey. */
function show({ terminal }: CommandContext, entries: readonly RemoteEntry[], { long, json }: ListOptions): void {
  const { stdout } = terminal;
  if (json) {
    stdout.write(jsonLine(entries, 2));
    return;
  }
  const sizes = entries.map(({ type, size }) => (type === 'file' ? String(size) : '-'));
  const width = sizes.reduce((longest, { length }) => Math.max(longest, length), 0);
  entries.forEach(({ path, type }, index) => {
    const name = `${plainText(path).replaceAll('\n', '?')}${type === 'folder' ? '/' : ''}`;
    stdout.write(long ? `${sizes[index]?.padStart(width)}  ${name}\n` : `${name}\n`);
  });
}
