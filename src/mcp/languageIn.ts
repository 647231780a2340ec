import { z } from 'zod';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';

/** The schema of an argument that names a language. */
export function languageIn(languages: readonly LanguageDefinition[]): z.ZodType<string> {
  return z.enum(languages.map(({ id }) => id));
}
