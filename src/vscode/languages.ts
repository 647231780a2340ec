import { LANGUAGES, type LanguageId } from '../engine/types.ts';

/** How a language appears in the editor. package.json names the commands, too. */
export interface EditorLanguage {
  readonly id: LanguageId;
  /** For people. */
  readonly name: string;
  /** The editor's language id of cells. */
  readonly cells: string;
  /** Id of the kernel; with the extension's id before it, what `notebookKernel` is in when clauses. */
  readonly controller: string;
  readonly commands: { readonly newSession: string; readonly build: string };
  /** The setting that names its image. */
  readonly imageSetting: string;
  /** What a new notebook says of its kernel, in Jupyter's words. */
  readonly kernelspec: { readonly name: string; readonly display_name: string; readonly language: string };
  /** Typing one of these asks for completions. */
  readonly triggers: readonly string[];
  /** Its sessions know each cell's place: they answer hovers and say where things are defined. */
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

/** The languages in the order in which they are offered. */
export const ALL_LANGUAGES: readonly EditorLanguage[] = LANGUAGES.map((id) => EDITOR_LANGUAGES[id]);
