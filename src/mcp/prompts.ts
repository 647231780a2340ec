import {
  type CompleteRequest,
  type CompleteResult,
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { DEFAULT_OPTIONS } from '../engine/options.ts';
import type { Engine } from '../engine/types.ts';
import type { LanguagePrompt } from '../languages/languageTools.ts';
import { printable } from './printable.ts';

/** Values of one completion, as the protocol limits them. */
const MAX_VALUES = 100;

const PROMPTS: readonly LanguagePrompt[] = [
  {
    name: 'data_analysis',
    title: 'Data Analysis',
    description: 'Answers a question about data, step by step in a session.',
    arguments: [
      { name: 'question', description: 'What to find out.', required: true },
      { name: 'session_id', description: 'A session that has the data. Default: a new session.' },
    ],
    text: ({ question = '', session_id }) =>
      [
        `Answer this question about data: ${question}`,
        session_id
          ? `Work in the session ${session_id}; list_files shows its files.`
          : 'Open a session with open_session, and put the data into it with write_file.',
        'First look at the columns, types, missing values and a few rows. Then work in small steps with run_code and check each result. Plot what a picture shows better than a number.',
        'Give the answer with the numbers that it rests on, and say what the data cannot show.',
      ].join('\n'),
  },
  {
    name: 'code_review',
    title: 'Code Review by Running',
    description: 'Reviews code and shows each finding by a run.',
    arguments: [
      { name: 'code', description: 'The code.', required: true },
      { name: 'language', description: 'Its language. Default: as it looks.' },
    ],
    text: ({ code = '', language }) =>
      [
        `Review this ${language ? `${language} ` : ''}code by running it:`,
        code,
        'Run it with run_code. Then test what you doubt: empty input, limits, wrong types, large input, errors. Report only findings that a run has shown, each with the code that shows it and what it printed, the worst first.',
      ].join('\n'),
  },
];

/** The prompts of a server whose engine runs these languages. */
function promptsFor({ languages }: Engine): readonly LanguagePrompt[] {
  return [...PROMPTS, ...languages.flatMap(({ tools }) => tools?.(DEFAULT_OPTIONS.limits).prompts ?? [])];
}

/** The result of `prompts/list`. */
export function listedPrompts(engine: Engine): ListPromptsResult {
  return {
    prompts: promptsFor(engine).map(({ text, ...listed }) => ({ ...listed, arguments: [...listed.arguments] })),
  };
}

/** The result of `prompts/get`. Throws a `ProtocolError` that names the prompts, or the argument that is missing. */
export function promptFor(engine: Engine, name: string, args: Readonly<Record<string, string>> = {}): GetPromptResult {
  const prompts = promptsFor(engine);
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt) {
    const names = prompts.map((one) => one.name).join(', ');
    throw invalid(`There is no prompt "${printable(name)}". Prompts: ${names}.`);
  }
  const missing = prompt.arguments.find((one) => one.required && !Object.hasOwn(args, one.name));
  if (missing) throw invalid(`Argument "${missing.name}" of the prompt ${name} is required.`);
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt.text(args) } }] };
}

/** The result of `completion/complete`: ids of open sessions, and languages. */
export function completionFor({ argument }: CompleteRequest['params'], engine: Engine): CompleteResult {
  const values = candidatesFor(argument.name, engine).filter((value) => value.startsWith(argument.value));
  return {
    completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES },
  };
}

function candidatesFor(name: string, engine: Engine): readonly string[] {
  if (name === 'language') return engine.languages.map(({ id }) => id);
  if (name !== 'session_id') return [];
  return engine.snapshot().sessions.flatMap(({ id, state }) => (state === 'ended' ? [] : [id]));
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
