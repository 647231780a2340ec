import { z } from 'zod';
import { DEFAULT_OPTIONS, languageOptions } from '../../engine/options.ts';
import type { RunRequest } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { languageIn } from '../languageIn.ts';
import { RunAnswer, runAnswer } from '../runAnswer.ts';
import { defineTool, type Tool } from '../tool.ts';

const { limits } = DEFAULT_OPTIONS;

const Input = z.strictObject({
  language: z.string().describe('Language of the code.'),
  code: z.string().describe('The program, at most 1 MB. The value of its last expression is returned as result.'),
  session_id: z
    .string()
    .optional()
    .describe('Session to run in, from open_session or list_sessions. Without it the run is on its own.'),
  timeout_seconds: z
    .number()
    .min(0.1)
    .max(86_400)
    .optional()
    .describe(`Seconds that the run may take. Default: ${limits.timeoutSeconds}, unless configured otherwise.`),
  axioms: z.boolean().optional().describe('Lean: whether to tell the axioms of each declaration.'),
  cell: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Lean, in a session: a name for this cell. A cell of that name is replaced at its place and what follows is checked again.',
    ),
  stdin: z.string().optional().describe('The whole of standard input. Without it the program reads end of file.'),
  state: z
    .looseObject({})
    .optional()
    .describe('Variables to set before a run without session. The JSON-able variables come back as state.'),
});

/** Runs code, one-shot or in a session. */
export function runCode(languages: readonly LanguageDefinition[]): Tool {
  return defineTool({
    name: 'run_code',
    title: 'Run code in a sandbox',
    description: [
      'Runs code in a sealed, warm container and returns its output, the value of its last expression, its pictures and how it ended.',
      'Without session_id every run starts from nothing and leaves nothing behind: no variable, file or process persists, except what state carries.',
      'With session_id variables, imports, functions and files in the working folder persist between runs, also after an error, a timeout or an interruption; if a session is lost all the same, error.message says so.',
      ...languages.map(({ guide }) => guide),
      `There is no network and no access to files of the host. Default limits: ${limits.timeoutSeconds} s, ${limits.memoryMb} MB of memory${memoryText(languages)}, 1 MB for each of stdout and stderr.`,
      'status is ok, error (an exception or exit code), timeout, interrupted, out_of_memory, sandbox_lost or rejected (nothing was run).',
    ].join('\n'),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    input: Input.extend({ language: languageIn(languages).describe('Language of the code.') }),
    output: RunAnswer,
    async call(input, { engine, owner, signal, onOutput }) {
      const run = await engine.run({ ...requestOf(input), owner }, onOutput, signal);
      return runAnswer(run, input.axioms ?? false);
    },
  });
}

/** Which languages have more memory than the others, in brackets. */
function memoryText(languages: readonly LanguageDefinition[]): string {
  const own = languages.flatMap((language) => {
    const { memoryMb } = languageOptions(language, DEFAULT_OPTIONS);
    return memoryMb === undefined ? [] : [`${language.displayName} ${memoryMb} MB`];
  });
  return own.length === 0 ? '' : ` (${own.join(', ')})`;
}

function requestOf(input: z.output<typeof Input>): Omit<RunRequest, 'owner'> {
  return {
    language: input.language,
    code: input.code,
    ...(input.session_id !== undefined && { sessionId: input.session_id }),
    ...(input.timeout_seconds !== undefined && { timeoutSeconds: input.timeout_seconds }),
    ...(input.stdin !== undefined && { stdin: input.stdin }),
    ...(input.state !== undefined && { state: input.state }),
    ...(input.cell !== undefined && { cell: input.cell }),
  };
}
