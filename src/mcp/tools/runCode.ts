import { z } from 'zod';
import { DEFAULT_OPTIONS, languageOptions } from '../../engine/options.ts';
import type { Engine, RunRequest } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { InputFiles, inputFiles } from '../files/inputFiles.ts';
import { keeper } from '../files/madeFiles.ts';
import { runOutputsOf } from '../files/runFiles.ts';
import { LongTexts } from '../output/longTexts.ts';
import { runAnswer, runAnswerSchema } from '../output/runAnswer.ts';
import { defineTool, failure, languageArgument, type Tool } from '../tool.ts';

const { limits } = DEFAULT_OPTIONS;

/** `run_code`. */
export function runCode(languages: readonly LanguageDefinition[]): Tool {
  const formats = languages.flatMap(({ reports }) => reports ?? []);
  return defineTool({
    name: 'run_code',
    title: 'Code Run',
    description: [
      'Runs code in a sealed sandbox. Returns its output, the value of the last expression, images and a status; a field that says nothing is absent.',
      'Without session_id nothing persists between runs: no variables, files or processes, except the variables in state.',
      'With session_id variables, imports, functions and files in the working directory persist, also after an error, a timeout or an interrupt. If a session is lost, error.message says so.',
      ...languages.map(({ guide }) => guide),
      `No network and no access to host files. Default limits: ${limits.timeoutSeconds} s, ${limits.memoryMb} MB of memory${memoryText(languages)}, 1 MB each for stdout and stderr.`,
      'Files that the run creates or changes in its working directory are listed as files; read_file and resources/read return them.',
      'status is ok, error (an exception or exit code), timeout, interrupted, out_of_memory, sandbox_lost or rejected (nothing was run).',
    ].join('\n'),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    runs: true,
    hasView: true,
    input: inputFor(languages),
    output: runAnswerSchema(formats),
    async call(input, call) {
      const { engine, owner, signal, onOutput, runId } = call;
      const language = input.language ?? languageOf(input.session_id, engine, languages);
      if (language === undefined) return failure('Argument "language" is required without session_id.');
      const inputs = await inputFiles(input.files ?? [], call);
      if (!inputs.ok) return failure(inputs.reason);
      const kept = keeper(call);
      const request = {
        ...requestOf(input),
        language,
        owner,
        ...(runId !== undefined && { runId }),
        reportFiles: true,
        ...(inputs.files.length > 0 && { inputs: inputs.files }),
        ...(input.session_id === undefined && { onFiles: kept.onFiles }),
      };
      const run = await engine.run(request, onOutput, signal);
      const format = languages.find(({ id }) => id === language)?.reports;
      const texts = new LongTexts(run.runId);
      const answer = await runAnswer(run, { report: format?.describe(run, input), files: kept.filesOf(run), texts });
      runOutputsOf(engine).keep(run.runId, owner.id, texts.files);
      return answer;
    },
  });
}

/** The arguments, with those that the languages' reports have. */
function inputFor(languages: readonly LanguageDefinition[]) {
  const own: z.ZodRawShape = Object.assign({}, ...languages.map(({ reports }) => reports?.arguments));
  return z.strictObject({
    language: languageArgument(
      languages,
      'Language of the code. Default with session_id: that of the session.',
    ).optional(),
    code: z.string().describe('Source code, at most 1 MB. The value of the last expression is returned as result.'),
    environment: z
      .string()
      .optional()
      .describe(
        'Without session_id: environment from create_environment or list_environments. Default: that of the language.',
      ),
    session_id: z.string().optional().describe('Session from open_session or list_sessions. Default: no session.'),
    timeout_seconds: z
      .number()
      .min(0.1)
      .max(86_400)
      .optional()
      .describe(`Time limit in seconds. Default: ${limits.timeoutSeconds}, unless configured otherwise.`),
    ...own,
    cell: z
      .string()
      .max(200)
      .optional()
      .describe(
        `${namesWithCells(languages)} sessions: name of the cell. Replaces an earlier cell of the same name in place; later cells are checked again.`,
      ),
    files: InputFiles.optional().describe(
      'Files in the working directory when a run without session starts. For a session use write_file.',
    ),
    stdin: z.string().optional().describe('Standard input. Default: empty.'),
    state: z
      .looseObject({})
      .optional()
      .describe('Variables to set before a run without session. JSON-serializable variables are returned as state.'),
  });
}

/** The languages whose sessions keep cells at their positions. */
function namesWithCells(languages: readonly LanguageDefinition[]): string {
  return languages
    .filter(({ editor }) => editor.hasPlaces)
    .map(({ displayName }) => displayName)
    .join(' and ');
}

/** The languages with a memory limit of their own, in parentheses. */
function memoryText(languages: readonly LanguageDefinition[]): string {
  const own = languages.flatMap((language) => {
    const { memoryMb } = languageOptions(language, DEFAULT_OPTIONS);
    return memoryMb === undefined ? [] : [`${language.displayName} ${memoryMb} MB`];
  });
  return own.length === 0 ? '' : ` (${own.join(', ')})`;
}

/** The language of a session. For one that does not exist any language will do: the engine rejects the run. */
function languageOf(
  session: string | undefined,
  engine: Engine,
  languages: readonly LanguageDefinition[],
): string | undefined {
  if (session === undefined) return undefined;
  return engine.snapshot().sessions.find(({ id }) => id === session)?.language ?? languages[0]?.id;
}

function requestOf(input: z.output<ReturnType<typeof inputFor>>): Omit<RunRequest, 'owner' | 'language'> {
  return {
    code: input.code,
    ...(input.environment !== undefined && { environment: input.environment }),
    ...(input.session_id !== undefined && { sessionId: input.session_id }),
    ...(input.timeout_seconds !== undefined && { timeoutSeconds: input.timeout_seconds }),
    ...(input.stdin !== undefined && { stdin: input.stdin }),
    ...(input.state !== undefined && { state: input.state }),
    ...(input.cell !== undefined && { cell: input.cell }),
  };
}
