/** The languages of MCP-docker-executor, which are called the same here, and the package manager of each. */
const MANAGERS = { python: 'pip', node: 'npm', csharp: 'nuget', bash: 'apt' } as const;

export type Language = keyof typeof MANAGERS;

export const LANGUAGES = Object.keys(MANAGERS) as readonly Language[];

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(MANAGERS, text);
}

export function managerOf(language: Language): (typeof MANAGERS)[Language] {
  return MANAGERS[language];
}

/** A package as its manager spells it, from its name and version as clients write them: `NAME==VERSION` for any language. */
export function packageEntry(language: Language, name: string, version?: string | null): string {
  const separator = SEPARATORS[managerOf(language)];
  const entry = version ? `${name}${separator}${version}` : name;
  return separator === '==' ? entry : entry.replace('==', separator);
}

const SEPARATORS = { pip: '==', npm: '@', nuget: '@', apt: '=' } as const;

/** The error for another language. */
export function notALanguage(text: unknown): string {
  return `'${text}' is not a valid Language`;
}
