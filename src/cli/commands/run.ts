import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf } from '../../base/log.ts';
import { LANGUAGES, type LanguageId, type RunOutput, type RunRequest, type RunResult } from '../../engine/types.ts';
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  numberOption,
  textOption,
  UsageError,
  withEngine,
} from '../command.ts';
import { type SavedDisplay, saveDisplays, shownBy } from '../displayFiles.ts';
import { exitStatus, STATUS_HELP } from '../exitStatus.ts';
import { jsonLine, readAll, say, type Terminal, writeOutput } from '../terminal.ts';
import { runJson } from './runJson.ts';

const EXTENSIONS: Readonly<Record<string, LanguageId>> = { '.py': 'python', '.lean': 'lean' };
const TAKES = 'run takes a language and one file, or - for standard input.';

/** Runs a file once and shows its output as it comes. */
export const run: Command = {
  name: 'run',
  usage: 'run [LANGUAGE] FILE|-',
  summary: 'Run a file, or standard input, in a sandbox.',
  help: [
    `LANGUAGE              ${LANGUAGES.join(' or ')}; a file that ends in ${Object.keys(EXTENSIONS).join(' or ')} needs none`,
    '--language LANGUAGE   the same',
    '--timeout SECONDS     time the run may take',
    '--stdin FILE          what the program reads from its standard input; - for ours',
    '--json                print the whole result as one JSON object at the end, and nothing else',
    '--save-displays DIR   save pictures and other displays as files',
    '',
    'stdout and stderr are those of the program; the value of its last expression is told on stderr.',
    ...STATUS_HELP,
  ],
  options: {
    language: { type: 'string' },
    timeout: { type: 'string' },
    stdin: { type: 'string' },
    json: { type: 'boolean' },
    'save-displays': { type: 'string' },
  },
  async run(context, args) {
    const request = await requestOf(context.terminal, args);
    return withEngine(context, async (engine) => {
      const onOutput = args.values.json ? undefined : (output: RunOutput) => show(context.terminal, output);
      const result = await engine.run(request, onOutput, context.signal);
      await report(context, args, result);
      return exitStatus(result);
    });
  },
};

async function requestOf(terminal: Terminal, args: CommandArguments): Promise<RunRequest> {
  const { language, file } = programOf(args);
  const input = textOption(args, 'stdin');
  if (file === '-' && input === '-') throw new UsageError('Standard input cannot be both the program and its input.');
  const timeoutSeconds = numberOption(args, 'timeout');
  return {
    language,
    code: await readText(terminal, file),
    owner: { id: `cli-${process.pid}`, kind: 'cli', label: 'command line' },
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(input !== undefined && { stdin: await readText(terminal, input) }),
  };
}

function programOf(args: CommandArguments): { readonly language: LanguageId; readonly file: string } {
  const chosen = textOption(args, 'language');
  const words = chosen === undefined ? args.positionals : [chosen, ...args.positionals];
  const [first, second, ...more] = words;
  if (first === undefined || more.length > 0 || (chosen !== undefined && second === undefined))
    throw new UsageError(TAKES);
  if (second !== undefined) return { language: languageOf(first), file: second };
  const language = EXTENSIONS[extname(first)];
  if (language === undefined) throw new UsageError(TAKES);
  return { language, file: first };
}

/** The language of that name. Throws `UsageError`. */
export function languageOf(name: string | undefined): LanguageId {
  const language = LANGUAGES.find((id) => id === name);
  if (!language) throw new UsageError(`There is no language "${name ?? ''}"; there is ${LANGUAGES.join(', ')}.`);
  return language;
}

async function readText({ stdin }: Terminal, file: string): Promise<string> {
  if (file === '-') return readAll(stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function show({ stdout, stderr }: Terminal, output: RunOutput): void {
  if (output.kind === 'stdout') writeOutput(stdout, output.text);
  if (output.kind === 'stderr') writeOutput(stderr, output.text);
  if (output.kind === 'result') writeOutput(stderr, `${String(output.data['text/plain'] ?? '')}\n`);
}

async function report(context: CommandContext, args: CommandArguments, result: RunResult): Promise<void> {
  const saved = await save(context, args, result);
  if (args.values.json) return void context.terminal.stdout.write(jsonLine(runJson(result, saved)));
  for (const { file } of saved) say(context.terminal, `saved ${file}`);
  const unsaved = shownBy(result).length - saved.length;
  if (unsaved > 0) say(context.terminal, `displays not saved: ${unsaved} (--save-displays DIR saves them)`);
  if (result.truncated) say(context.terminal, 'output was truncated');
  const { error } = result;
  if (error)
    writeOutput(context.terminal.stderr, `${error.traceback.trimEnd() || `${error.name}: ${error.message}`}\n`);
}

async function save({ terminal }: CommandContext, args: CommandArguments, result: RunResult): Promise<SavedDisplay[]> {
  const folder = textOption(args, 'save-displays');
  if (folder === undefined) return [];
  try {
    return await saveDisplays(folder, shownBy(result));
  } catch (error) {
    say(terminal, `displays could not be saved: ${messageOf(error)}`);
    return [];
  }
}
