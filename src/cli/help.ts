import { variableOf } from '../config/config.ts';
import { OPTION_KEYS } from '../engine/optionKeys.ts';
import type { Command } from './command.ts';
import { STATUS_HELP } from './exitStatus.ts';
import { FLAG_HELP } from './flags.ts';

/** What `hothouse --help` prints. */
export function generalHelp(commands: readonly Command[]): string {
  return [
    'Runs code in warm, sealed containers.',
    '',
    ...commands.map(({ usage, summary }) => `  hothouse ${usage.padEnd(20)} ${summary}`),
    '  hothouse COMMAND --help       Tell more of a command.',
    '  hothouse --version            Print the version.',
    '',
    'Options of every command:',
    ...indented(FLAG_HELP),
    '',
    'Configuration, the strongest first: command line, variables, ~/.hothouse/config.yaml (or the file that',
    'HOTHOUSE_CONFIG names), the settings of python-docker-mcp and lean-docker-mcp, defaults. Options, with their variables and defaults:',
    ...OPTION_KEYS.map(
      ({ key, fallback }) => `  ${key.padEnd(30)} ${variableOf(key).padEnd(40)} ${JSON.stringify(fallback)}`,
    ),
    '',
    ...STATUS_HELP,
  ].join('\n');
}

/** What `hothouse COMMAND --help` prints. */
export function commandHelp({ usage, summary, help }: Command): string {
  const body = help.length > 0 ? ['', ...indented(help)] : [];
  return [`hothouse ${usage}`, summary, ...body, '', 'Options of every command:', ...indented(FLAG_HELP)].join('\n');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line ? `  ${line}` : ''));
}
