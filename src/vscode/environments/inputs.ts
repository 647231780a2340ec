import { EnvironmentDefinition, EnvironmentName } from '../../engine/environment/definition.ts';
import { EnvironmentNetwork } from '../../engine/network/environmentNetwork.ts';
import { packageProblem } from '../../engine/packages/packageName.ts';
import { splitWords } from '../../languages/commandWords.ts';
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

/** The variables in a text such as `REGION=eu GREETING="good morning"`; null when it has something else. */
export function splitVariables(text: string): Record<string, string> | null {
  const entries = splitWords(text)?.map((word) => /^([^=]+)=(.*)$/s.exec(word));
  if (!entries) return null;
  const found = entries.flatMap((entry) => (entry ? [[entry[1] ?? '', entry[2] ?? ''] as const] : []));
  return found.length === entries.length ? Object.fromEntries(found) : null;
}

/** What is wrong with a list of variables; null when nothing is. */
export function variablesProblem(text: string): string | null {
  const variables = splitVariables(text);
  if (variables === null) return 'Write NAME=value, and NAME="a value" where it has spaces.';
  const read = EnvironmentDefinition.shape.variables.safeParse(variables);
  const [issue] = read.error?.issues ?? [];
  if (!issue) return null;
  // Of a name that is not accepted, the rule that it breaks.
  const why = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
  return `${issue.path.map(String).join('.')}: ${why}`;
}

/** What is wrong with the name of an image; null when nothing is. */
export function imageProblem(text: string): string | null {
  return EnvironmentDefinition.shape.base.safeParse(text.trim()).success ? null : 'This is not the name of an image.';
}

/** The hosts in a text, separated by spaces or commas. */
export function splitHosts(text: string): string[] {
  return text.split(/[\s,]+/).filter((host) => host !== '');
}

/** What is wrong with a list of hosts; null when nothing is. */
export function hostsProblem(text: string): string | null {
  const hosts = splitHosts(text);
  if (hosts.length === 0) return 'Name a host.';
  const wrong = hosts.find((host) => !EnvironmentNetwork.safeParse({ allow: [host] }).success);
  if (wrong !== undefined) return `${wrong}: use a full name, such as example.org, *.example.org or example.org:8443.`;
  return EnvironmentNetwork.safeParse({ allow: hosts }).success ? null : 'These are too many hosts.';
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
