import { LANGUAGES, type LanguageId } from '../engine/types.ts';

/** How a language appears in VS Code. package.json declares the same commands. */
export interface EditorLanguage {
  readonly id: LanguageId;
  /** Display name. */
  readonly name: string;
  /** VS Code's language id of cells. */
  readonly cells: string;
  /** Id of the kernel; `publisher.name/id` is the value of `notebookKernel` in when clauses. */
  readonly controller: string;
  readonly commands: { readonly newSession: string; readonly build: string };
  /** The setting with the image. */
  readonly imageSetting: string;
  /** The kernelspec in the metadata of a new notebook. */
  readonly kernelspec: { readonly name: string; readonly display_name: string; readonly language: string };
  /** Characters that trigger completions. */
  readonly triggers: readonly string[];
  /** Whether sessions keep cells at their positions, and so answer hovers and go to definitions. */
  readonly hasPlaces: boolean;
}

/** Every language of the engine. */
export const EDITOR_LANGUAGES: Readonly<Record<LanguageId, EditorLanguage>> = {
  python: {
    id: 'python',
    name: 'Python',
    cells: 'python',
    controller: 'hothouse-python',
    commands: { newSession: 'hothouse.newPythonSession', build: 'hothouse.buildPythonEnvironment' },
    imageSetting: 'hothouse.python.image',
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    triggers: ['.'],
    hasPlaces: false,
  },
  lean: {
    id: 'lean',
    name: 'Lean',
    cells: 'lean4',
    controller: 'hothouse-lean',
    commands: { newSession: 'hothouse.newLeanSession', build: 'hothouse.buildLeanEnvironment' },
    imageSetting: 'hothouse.lean.image',
    kernelspec: { name: 'lean4', display_name: 'Lean 4', language: 'lean4' },
    triggers: ['.'],
    hasPlaces: true,
  },
};

/** The languages in display order. */
export const ALL_LANGUAGES: readonly EditorLanguage[] = LANGUAGES.map((id) => EDITOR_LANGUAGES[id]);
