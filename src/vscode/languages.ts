import { LANGUAGE_FACTS } from '../languages/facts.ts';
import type { EditorFacts, LanguageFacts } from '../languages/languageDefinition.ts';

/** How a language appears in VS Code. package.json declares the same commands. */
export interface EditorLanguage extends EditorFacts {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Id of the kernel; `publisher.name/id` is the value of `notebookKernel` in when clauses. */
  readonly controller: string;
  /** What installs its packages, beside apt. */
  readonly packageManager?: LanguageFacts['packageManager'];
  readonly commands: { readonly newSession: string; readonly build: string };
  /** The setting with the image. */
  readonly imageSetting: string;
}

/** The languages in display order. */
export const ALL_LANGUAGES: readonly EditorLanguage[] = LANGUAGE_FACTS.map(
  ({ id, displayName, packageManager, editor }) => {
    const name = id.charAt(0).toUpperCase() + id.slice(1);
    return {
      ...editor,
      id,
      name: displayName,
      packageManager,
      controller: `hothouse-${id}`,
      commands: { newSession: `hothouse.new${name}Session`, build: `hothouse.build${name}Environment` },
      imageSetting: `hothouse.${id}.image`,
    };
  },
);

/** The language of that id. Throws when there is none. */
export function editorLanguage(id: string): EditorLanguage {
  const language = ALL_LANGUAGES.find((candidate) => candidate.id === id);
  if (!language) throw new Error(`There is no language ${JSON.stringify(id)}.`);
  return language;
}

/** The language that is offered first. */
export const FIRST_LANGUAGE: string = ALL_LANGUAGES[0]?.id ?? '';
