import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { messageOf } from '../../base/log.ts';
import type { RunOutput, RunRequest, RunResult } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { type CommandContext, type Handle, parseNumber, UsageError, withEngine } from '../command.ts';
import { type SavedDisplay, saveDisplays, shownBy } from '../displayFiles.ts';
import { exitStatus, STATUS_HELP } from '../exitStatus.ts';
import { idsOf, languageOf, languageOfFile } from '../namedLanguage.ts';
import { jsonLine, readAll, say, type Terminal, writeOutput } from '../terminal.ts';

const TAKES = 'run takes a language and one file, or - for standard input.';
const RUN_NOTES = `
stdout and stderr are those of the program. The value of its last expression goes to stderr.

${STATUS_HELP}`;

type Languages = readonly LanguageDefinition[];

interface RunOptions {
  readonly language?: string;
  readonly env?: string;
  readonly timeout?: number;
  readonly stdin?: string;
  readonly json?: boolean;
  readonly saveDisplays?: string;
}

/** `hothouse run`: runs a file once and shows its output as it comes. */
export function runCommand(handle: Handle, languages: Languages): Command {
  const extensions = languages.flatMap(({ fileExtensions }) => fileExtensions);
  return new Command('run')
    .usage('[options] [LANGUAGE] FILE')
    .description('Run a file in a sandbox')
    .argument('[LANGUAGE]', `${idsOf(languages).join(' or ')}; optional for ${extensions.join(' and ')} files`)
    .argument('[FILE]', 'the program; - reads it from standard input')
    .option('--language <LANGUAGE>', 'the same as the argument LANGUAGE')
    .option('--env <NAME>', 'environment to run in; see hothouse env')
    .option('--timeout <SECONDS>', 'time limit of the run', parseNumber)
    .option('--stdin <FILE>', 'standard input of the program; - passes our own')
    .option('--json', 'print the whole result as one JSON object and nothing else')
    .option('--save-displays <DIR>', 'save plots and other displays as files')
    .addHelpText('after', RUN_NOTES)
    .action(
      handle(async (context, first: string | undefined, second: string | undefined, options: RunOptions) => {
        const request = await requestOf(context, [first, second], options);
        return withEngine(context, async (engine) => {
          const onOutput = options.json ? undefined : (output: RunOutput) => show(context.terminal, output);
          const result = await engine.run(request, onOutput, context.signal);
          await report(context, options, request.language, result);
          return exitStatus(result);
        });
      }),
    );
}

async function requestOf(
  { terminal, languages }: CommandContext,
  positionals: readonly (string | undefined)[],
  options: RunOptions,
): Promise<RunRequest> {
  const { language, file } = programOf(
    [options.language, ...positionals].filter((text) => text !== undefined),
    options,
    languages,
  );
  const { stdin, timeout, env } = options;
  if (file === '-' && stdin === '-') throw new UsageError('Standard input cannot be both the program and its input.');
  return {
    language,
    code: await readText(terminal, file),
    owner: { id: `cli-${process.pid}`, kind: 'cli', label: 'command line' },
    ...(env !== undefined && { environment: env }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(stdin !== undefined && { stdin: await readText(terminal, stdin) }),
  };
}

function programOf(
  [first, second, ...more]: readonly string[],
  { language: chosen }: RunOptions,
  languages: Languages,
) {
  if (first === undefined || more.length > 0 || (chosen !== undefined && second === undefined))
    throw new UsageError(TAKES);
  if (second !== undefined) return { language: languageOf(first, languages).id, file: second };
  const language = languageOfFile(first, languages);
  if (language === undefined) throw new UsageError(TAKES);
  return { language: language.id, file: first };
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

async function report(
  context: CommandContext,
  { json, saveDisplays: folder }: RunOptions,
  language: string,
  result: RunResult,
): Promise<void> {
  const saved = folder === undefined ? [] : await save(context.terminal, folder, result);
  if (json) {
    const definition = context.languages.find(({ id }) => id === language);
    return void context.terminal.stdout.write(jsonLine(runJson(result, definition, saved)));
  }
  for (const { file } of saved) say(context.terminal, `saved ${file}`);
  const unsaved = shownBy(result).length - saved.length;
  if (unsaved > 0) say(context.terminal, `displays not saved: ${unsaved} (--save-displays DIR saves them)`);
  if (result.truncated) say(context.terminal, 'output was truncated');
  const { error } = result;
  if (error)
    writeOutput(context.terminal.stderr, `${error.traceback.trimEnd() || `${error.name}: ${error.message}`}\n`);
}

async function save(terminal: Terminal, folder: string, result: RunResult): Promise<SavedDisplay[]> {
  try {
    return await saveDisplays(folder, shownBy(result));
  } catch (error) {
    say(terminal, `displays could not be saved: ${messageOf(error)}`);
    return [];
  }
}

/** A run's result as `--json` prints it; a saved display has the name of its file instead of its content. */
function runJson(result: RunResult, language: LanguageDefinition | undefined, saved: readonly SavedDisplay[]) {
  const notes = result.report?.notes ?? [];
  return {
    run_id: result.runId,
    status: result.status,
    exit_code: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    result: result.result?.['text/plain'] ?? null,
    error: result.error,
    displays: shownBy(result).map((data) => displayJson(data, saved)),
    state: result.state,
    ...language?.reports?.describe(result).fields,
    ...(notes.length > 0 && { notes }),
    truncated: result.truncated,
    duration_ms: result.durationMs,
    peak_memory_bytes: result.peakMemoryBytes,
  };
}

function displayJson(data: SavedDisplay['data'], saved: readonly SavedDisplay[]) {
  const entry = saved.find((candidate) => candidate.data === data);
  const kept = Object.entries(data).filter(([mimeType]) => mimeType !== entry?.mimeType);
  return { mime_types: Object.keys(data), data: Object.fromEntries(kept), file: entry?.file ?? null };
}
