import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command } from 'commander';
import { formatList } from '../../base/list.ts';
import { messageOf } from '../../base/log.ts';
import type { RunOutput, RunRequest, RunResult } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { addText, type CommandContext, type Handle, parseNumber, UsageError, withEngine } from '../command.ts';
import { type SavedDisplay, saveDisplays, shownBy } from '../displayFiles.ts';
import { exitStatus, FAILURE_STATUS, STATUS_HELP } from '../exitStatus.ts';
import { idsOf, languageOf, languageOfFile } from '../namedLanguage.ts';
import { inputFiles } from '../runFiles.ts';
import { type SavedFile, saveFiles } from '../savedFiles.ts';
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
  readonly file?: readonly string[];
  readonly out?: string;
  readonly overwrite?: boolean;
}

/** `hothouse run`: runs a file once and shows its output as it comes. */
export function runCommand(handle: Handle, languages: Languages): Command {
  const extensions = languages.flatMap(({ fileExtensions }) => fileExtensions);
  return new Command('run')
    .usage('[options] [LANGUAGE] FILE')
    .description('Run a file in a sandbox')
    .argument(
      '[LANGUAGE]',
      `${formatList(idsOf(languages), 'or')}; optional for ${formatList(extensions, 'and')} files`,
    )
    .argument('[FILE]', 'the program; - reads it from standard input')
    .option('--language <LANGUAGE>', 'the same as the argument LANGUAGE')
    .option('--env <NAME>', 'environment to run in; see hothouse env')
    .option('--timeout <SECONDS>', 'time limit of the run', parseNumber)
    .option('--stdin <FILE>', 'standard input of the program; - passes our own')
    .option('--json', 'print the whole result as one JSON object and nothing else')
    .option('--file <FILE[=DEST]>', 'a file or folder for the working folder of the program; repeatable', addText)
    .option('--out <DIR>', 'save the files that the program makes or changes')
    .option('--overwrite', 'lets --out replace files')
    .option('--save-displays <DIR>', 'save plots and other displays as files')
    .addHelpText('after', RUN_NOTES)
    .action(
      handle(async (context, first: string | undefined, second: string | undefined, options: RunOptions) => {
        const request = await requestOf(context, [first, second], options);
        return withEngine(context, async (engine) => {
          const onOutput = options.json ? undefined : (output: RunOutput) => show(context.terminal, output);
          let files: readonly SavedFile[] = [];
          const onFiles: RunRequest['onFiles'] = async (changed, workspace) => {
            if (options.out !== undefined)
              files = await saveFiles(options.out, changed, workspace, options.overwrite ?? false);
          };
          const reportFiles = options.out !== undefined || options.json === true;
          const result = await engine.run({ ...request, reportFiles, onFiles }, onOutput, context.signal);
          const areSaved = await report(context, options, request.language, { result, files });
          return exitStatus(result) || (areSaved ? 0 : FAILURE_STATUS);
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
    ...(file !== '-' && { fileName: basename(file) }),
    ...(options.file && { inputs: await inputFiles(options.file) }),
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
  if (language === undefined) {
    const what = first === '-' ? 'standard input' : first;
    throw new UsageError(`The language of ${what} is unknown; name it first, as in \`hothouse run LANGUAGE FILE\`.`);
  }
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

/** A run, and what became of its files with `--out`. */
interface Ended {
  readonly result: RunResult;
  readonly files: readonly SavedFile[];
}

/** Shows how a run ended; whether everything that `--out` asked for is saved. */
async function report(
  context: CommandContext,
  { json, out, saveDisplays: folder }: RunOptions,
  language: string,
  { result, files }: Ended,
): Promise<boolean> {
  const unsaved = out === undefined ? 0 : (result.files?.count ?? 0) - files.filter(({ file }) => file !== null).length;
  const saved = folder === undefined ? [] : await save(context.terminal, folder, result);
  if (json) {
    const definition = context.languages.find(({ id }) => id === language);
    context.terminal.stdout.write(jsonLine(runJson({ result, files }, definition, saved)));
    return unsaved === 0;
  }
  for (const { path, file, problem } of files) {
    say(context.terminal, file === null ? `not saved: ${path}: ${problem}` : `saved ${file}`);
  }
  const unnamed = unsaved - files.filter(({ file }) => file === null).length;
  if (unnamed > 0) say(context.terminal, `further files not saved: ${unnamed}`);
  for (const { file } of saved) say(context.terminal, `saved ${file}`);
  const unsavedDisplays = shownBy(result).length - saved.length;
  if (unsavedDisplays > 0)
    say(context.terminal, `displays not saved: ${unsavedDisplays} (--save-displays DIR saves them)`);
  if (result.truncated) say(context.terminal, 'output was truncated');
  const { error } = result;
  if (error)
    writeOutput(context.terminal.stderr, `${error.traceback.trimEnd() || `${error.name}: ${error.message}`}\n`);
  return unsaved === 0;
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
function runJson({ result, files }: Ended, language: LanguageDefinition | undefined, saved: readonly SavedDisplay[]) {
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
    files: (result.files?.files ?? []).map(({ path, size, mediaType }) => ({
      path,
      size,
      mime_type: mediaType,
      file: files.find((one) => one.path === path)?.file ?? null,
    })),
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
