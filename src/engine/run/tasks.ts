import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import type { TaskRequest, Tasks } from '../../languages/languageTasks.ts';
import { LANGUAGES, type LanguageQuestions } from '../../languages/registry.ts';
import { otherLanguage } from '../problems.ts';
import type { Session } from '../session/session.ts';
import type { Result, RunResult } from '../types.ts';

/** What tasks use of the engine. */
export interface TaskContext {
  run(language: string, request: TaskRequest, signal: AbortSignal | undefined): Promise<RunResult>;
  session(id: string): Result<Session>;
  outputLimit(): number;
}

/** The questions of each language, by its id; of a registered language that the engine does not run, runs are rejected. */
export function questionsOf(languages: readonly LanguageDefinition[], context: TaskContext): LanguageQuestions {
  const all: ReadonlySet<LanguageDefinition> = new Set([...LANGUAGES, ...languages]);
  const entries = [...all].flatMap(({ id, questions }) => (questions ? [[id, questions(tasksOf(id, context))]] : []));
  return Object.fromEntries(entries) as LanguageQuestions;
}

function tasksOf(language: string, context: TaskContext): Tasks {
  return {
    // Many listeners on the caller's own signal cause a warning.
    run: (request, signal) => context.run(language, request, signal && AbortSignal.any([signal])),
    async textOf(sessionId, signal) {
      if (sessionId === undefined) return { ok: true, value: '' };
      const found = context.session(sessionId);
      if (!found.ok) return found;
      if (found.value.language !== language) {
        return { ok: false, error: otherLanguage(sessionId, found.value.language) };
      }
      return found.value.ask(async (interpreter) => interpreter.text?.() ?? '', '', signal);
    },
    outputLimit: () => context.outputLimit(),
  };
}
