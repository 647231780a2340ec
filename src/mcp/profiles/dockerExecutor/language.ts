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

/** The error for another language. */
export function notALanguage(text: unknown): string {
  return `'${text}' is not a valid Language`;
}
