import { BASH } from './bash/facts.ts';
import { CSHARP } from './csharp/facts.ts';
import type { LanguageFacts } from './languageDefinition.ts';
import { LEAN } from './lean/facts.ts';
import { NODE } from './node/facts.ts';
import { PYTHON } from './python/facts.ts';
import { R } from './r/facts.ts';

/** The facts of every language, in the order in which they are offered. */
export const LANGUAGE_FACTS: readonly LanguageFacts[] = [PYTHON, LEAN, NODE, BASH, CSHARP, R];
