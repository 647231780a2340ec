import type { LanguageFacts } from './languageDefinition.ts';
import { LEAN } from './lean/facts.ts';
import { PYTHON } from './python/facts.ts';

/** The facts of every language, in the order in which they are offered. */
export const LANGUAGE_FACTS: readonly LanguageFacts[] = [PYTHON, LEAN];
