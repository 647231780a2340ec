import { bash } from './bash/definition.ts';
import { csharp } from './csharp/definition.ts';
import type { LanguageDefinition, LanguageOptionsSchema } from './languageDefinition.ts';
import { lean } from './lean/definition.ts';
import type { LeanReport } from './lean/report.ts';
import { node } from './node/definition.ts';
import { python } from './python/definition.ts';
import { r } from './r/definition.ts';

/** The reports of the languages that check their code, distinguished by `language`. */
export type LanguageReport = LeanReport;

/** Every language, in the order in which they are offered. A new one is its folder here, one in `images`, and a line. */
export const LANGUAGES = [python, lean, node, bash, csharp, r] as const;

type Registered = (typeof LANGUAGES)[number];
type QuestionsOf<D> =
  D extends LanguageDefinition<string, infer _Schema extends LanguageOptionsSchema, infer Q> ? Q : never;

/** The questions that only one language knows, by its id. */
export type LanguageQuestions = {
  readonly [D in Registered as [QuestionsOf<D>] extends [never] ? never : D['id']]: QuestionsOf<D>;
};
