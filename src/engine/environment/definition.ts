import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { LanguageDefinition, PackageManager } from '../../languages/languageDefinition.ts';
import { isReservedVariable } from '../../languages/reservedVariables.ts';
import { EnvironmentNetwork, networkKey } from '../network/environmentNetwork.ts';
import { PACKAGE_MANAGERS, packageName, packageProblem } from '../packages/packageName.ts';

const MAX_PACKAGES = 500;
const MAX_VARIABLES = 100;

/** Name of an environment, on the command line, in files and in tools. */
export const EnvironmentName = z
  .string()
  .max(40)
  .regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/, {
    error: 'Use lower-case letters, digits, ".", "_" and "-", first and last a letter or a digit.',
  })
  .describe('Name of the environment: lower-case letters, digits, ".", "_" and "-".');

const Packages = z
  .strictObject({
    pip: packagesOf('pip', 'Packages that pip names.'),
    npm: packagesOf('npm', 'Packages that npm names.'),
    nuget: packagesOf('nuget', 'Packages that NuGet names.'),
    apt: packagesOf('apt', 'Debian packages.'),
  })
  .prefault({})
  .describe('Packages by the manager that installs them.');

const Variables = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'This is not the name of a variable.' })
      .max(100)
      .refine((name) => !isReservedVariable(name), { error: 'This variable cannot be set.' }),
    z
      .string()
      .max(4_096)
      .refine((value) => !value.includes('\0')),
  )
  .refine((variables) => Object.keys(variables).length <= MAX_VARIABLES)
  .default({})
  .describe('Environment variables of its sandboxes.');

/** What an environment consists of. */
export const EnvironmentDefinition = z.strictObject({
  name: EnvironmentName,
  language: z.string().describe('Language that runs in it.'),
  base: z
    .union([
      z.literal(''),
      z
        .string()
        .max(255)
        .regex(/^[a-z0-9][A-Za-z0-9._/:@-]*$/, { error: 'This is not the name of an image.' }),
    ])
    .default('')
    .describe("Image that it is built on. Empty: the language's own."),
  packages: Packages,
  variables: Variables,
  network: EnvironmentNetwork,
});
export type EnvironmentDefinition = z.output<typeof EnvironmentDefinition>;
/** A definition as a user writes it. */
export type EnvironmentInput = z.input<typeof EnvironmentDefinition>;

/** What an environment was built from, exactly, so that it can be built again. */
export const EnvironmentLock = z.strictObject({
  /** Id of the image it was built on. */
  base: z.string().regex(/^[A-Za-z0-9:._/-]{1,200}$/),
  /** Requirements with versions and hashes. */
  pip: z.string().refine(isPipLock, { error: 'It is no list of versions with hashes.' }).optional(),
  /** A package-lock.json without addresses. */
  npm: z.string().refine(isNpmLock, { error: 'It is no package-lock.json without addresses.' }).optional(),
  /** One `package@version sha512:digest` a line. */
  nuget: z.string().refine(isNugetLock, { error: 'It is no list of versions with digests.' }).optional(),
  /** One `package=version` a line. */
  apt: z.string().refine(isAptLock, { error: 'It is no list of versions.' }).optional(),
});
export type EnvironmentLock = z.output<typeof EnvironmentLock>;

/** An environment that was built. */
export interface EnvironmentRecord extends EnvironmentDefinition {
  /** Of all that its definition contains beside the name, and of the lock it was built from. */
  readonly hash: string;
  /** Name of its image. */
  readonly image: string;
  readonly lock: EnvironmentLock;
  /** Digest of the definition that a person has let reach a network. */
  readonly consent?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const IMAGE = 'hothouse/environment';

/** Name of the image of an environment with that content. */
export function environmentImage(hash: string): string {
  return `${IMAGE}:${hash}`;
}

const StoredRecord = EnvironmentDefinition.extend({
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  lock: EnvironmentLock,
  consent: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  createdAt: z.number(),
});

/** A record as the store has it; null when it is invalid, as after an edit by hand. */
export function parseRecord(raw: unknown, languages: readonly LanguageDefinition[]): EnvironmentRecord | null {
  const known =
    typeof raw === 'object' && raw !== null
      ? Object.fromEntries(Object.entries(raw).filter(([key]) => key !== 'image'))
      : raw;
  const parsed = StoredRecord.safeParse(known);
  if (!parsed.success || languageProblems(parsed.data, languages).length > 0) return null;
  return { ...parsed.data, image: environmentImage(parsed.data.hash) };
}

/** Something wrong with a definition, and where. */
export interface DefinitionProblem {
  readonly path: readonly (string | number)[];
  /** A sentence without the place. */
  readonly message: string;
}

/** The definition in an input, or what is wrong with it. */
export function parseDefinition(
  input: unknown,
  languages: readonly LanguageDefinition[],
): { readonly definition: EnvironmentDefinition | null; readonly problems: readonly DefinitionProblem[] } {
  const parsed = EnvironmentDefinition.safeParse(input);
  if (!parsed.success) return { definition: null, problems: parsed.error.issues.flatMap(issueProblems) };
  const problems = languageProblems(parsed.data, languages);
  return { definition: problems.length === 0 ? parsed.data : null, problems };
}

/** A problem as one sentence with its place. */
export function formatDefinitionProblem({ path, message }: DefinitionProblem): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/**
 * The content hash of a definition: 16 hexadecimal digits. The name does not count, nor does the order of packages and
 * variables.
 */
export function definitionHash({ language, base, packages, variables, network }: EnvironmentDefinition, lock?: string) {
  const lists = PACKAGE_MANAGERS.map((manager) => [...packages[manager]].sort());
  const pairs = Object.entries(variables).sort(([one], [other]) => (one < other ? -1 : 1));
  const content = JSON.stringify([language, base, lists, pairs, networkKey(network), lock ?? null]);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function packagesOf(manager: PackageManager, description: string) {
  return z
    .array(z.string())
    .max(MAX_PACKAGES, { error: `There are more than ${MAX_PACKAGES} packages.`, abort: true })
    .superRefine((entries, { addIssue }) => {
      const names = new Set<string>();
      for (const entry of entries) {
        const problem = packageProblem(manager, entry);
        const name = packageName(manager, entry);
        if (problem) addIssue({ code: 'custom', message: problem });
        else if (names.has(name)) addIssue({ code: 'custom', message: `${name} is listed twice.` });
        names.add(name);
      }
    })
    .default([])
    .describe(description);
}

function languageProblems(
  { name, language, packages }: EnvironmentDefinition,
  languages: readonly LanguageDefinition[],
): DefinitionProblem[] {
  const definition = languages.find(({ id }) => id === language);
  const ids = languages.map(({ id }) => id);
  if (!definition) {
    const message = `There is no language ${JSON.stringify(language)}; there is ${ids.join(', ')}.`;
    return [{ path: ['language'], message }];
  }
  const own = definition.packageManager;
  const others = PACKAGE_MANAGERS.filter((manager) => manager !== 'apt' && manager !== own);
  const wrong = others.filter((manager) => packages[manager].length > 0);
  const has = own ? `those of ${own} and apt` : 'those of apt';
  return [
    ...(ids.includes(name) ? [{ path: ['name'], message: `"${name}" is a language; choose another name.` }] : []),
    ...wrong.map((manager) => ({
      path: ['packages', manager],
      message: `${definition.displayName} has no packages of ${manager}; it has ${has}.`,
    })),
  ];
}

function issueProblems({ path, message, ...issue }: z.core.$ZodIssue): DefinitionProblem[] {
  const place = path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const chosen = issue.code === 'invalid_union' ? chosenForm(issue.errors) : null;
  if (chosen) return chosen.flatMap((one) => issueProblems({ ...one, path: [...path, ...one.path] }));
  if (issue.code === 'invalid_key') return [{ path: place, message: issue.issues[0]?.message ?? message }];
  if (issue.code !== 'unrecognized_keys') return [{ path: place, message }];
  return issue.keys.map((key) => ({ path: [...place, key], message: 'There is no such key.' }));
}

/** What is wrong with the form of a value that its writer has chosen, where the others are of another type altogether. */
function chosenForm(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const isOther = ({ path, code }: z.core.$ZodIssue) => path.length === 0 && code !== 'unrecognized_keys';
  return forms.find((issues) => !issues.some(isOther)) ?? null;
}

function isPipLock(text: string): boolean {
  const entries = text.replace(/\\\r?\n/g, ' ').split('\n');
  const entry =
    /^[A-Za-z0-9._-]+(?:\[[A-Za-z0-9._,-]+\])?==[A-Za-z0-9._+!-]+(?: *;[A-Za-z0-9_.\s"'<>=!~()+-]+?)?(?: +--hash=sha256:[0-9a-f]{64})+ *$/;
  return (
    text.length < 4_000_000 && entries.every((line) => line.trim() === '' || /^ *#/.test(line) || entry.test(line))
  );
}

function isNpmLock(text: string): boolean {
  try {
    const lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({})) }).parse(JSON.parse(text));
    return Object.values(lock.packages).every((entry) => !('resolved' in entry) && !('link' in entry));
  } catch {
    return false;
  }
}

function isNugetLock(text: string): boolean {
  const entry = /^([^\s@]+@[0-9][0-9A-Za-z.-]*) sha512:[0-9a-f]{128}$/;
  return text.split('\n').every((line) => {
    const [, name] = entry.exec(line) ?? [];
    return line === '' || (name !== undefined && packageProblem('nuget', name) === null);
  });
}

/** Lines of `name=version`, and of later builds with ` sha256:digest`. */
function isAptLock(text: string): boolean {
  return text.split('\n').every((line) => {
    const entry = line.replace(/ sha256:[0-9a-f]{64}$/, '');
    return line === '' || (entry.includes('=') && packageProblem('apt', entry) === null);
  });
}
