import { EnvironmentName } from '../../engine/environment/definition.ts';
import { packageProblem } from '../../engine/packages/packageName.ts';
import type { PackageManager } from '../../languages/languageDefinition.ts';
import { ALL_LANGUAGES } from '../languages.ts';

/** What is wrong with the name of a new environment; null when nothing is. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string | null {
  if (!EnvironmentName.safeParse(name).success) return 'Use lower-case letters, digits, ".", "_" and "-".';
  if (taken.has(name)) return `There is an environment named ${name}.`;
  return ALL_LANGUAGES.some(({ id }) => id === name) ? `${name} is the name of a language.` : null;
}

/** What is wrong with a list of packages; null when nothing is. */
export function packagesProblem(manager: PackageManager, text: string): string | null {
  for (const entry of splitPackages(text)) {
    const problem = packageProblem(manager, entry);
    if (problem) return problem;
  }
  return null;
}

/** The packages in a text, separated by spaces; a comma alone separates versions, as in `requests>=2,<3`. */
export function splitPackages(text: string): string[] {
  return text.split(/\s+/).filter((entry) => entry !== '');
}
