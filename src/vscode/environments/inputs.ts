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

/**
 * The packages in a text, separated by spaces. Spaces around signs belong to their package, and those in a marker, as in
 * `requests >= 2, < 3 ; python_version < "3.9" and sys_platform == "linux"` or `lodash@^3 || ^4`.
 */
export function splitPackages(text: string): string[] {
  const entries: string[] = [];
  for (const part of text.split(/\s+/).filter((one) => one !== '')) {
    const last = entries.at(-1);
    if (last !== undefined && belongs(last, part)) entries[entries.length - 1] = `${last} ${part}`;
    else entries.push(part);
  }
  return entries;
}

function belongs(entry: string, part: string): boolean {
  const isJoining = /^(?:and|or|in|not|-)$/.test(part) && /[;@]/.test(entry);
  return isJoining || /^[<>=!~;,|]/.test(part) || /(?:[<>=!~;,|]|[;@].*\s(?:and|or|in|not|-))$/.test(entry);
}
