import { type CharacterPair, type Disposable, extensions, languages } from 'vscode';
import { toDisposable } from '../../../base/disposable.ts';
import { EDITOR_LANGUAGES } from '../../languages.ts';

/** The Lean 4 extension, which has a grammar, abbreviations and a richer language configuration. */
const LEAN_EXTENSION = 'leanprover.lean4';

const BRACKETS: CharacterPair[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['⟨', '⟩'],
  ['⦃', '⦄'],
  ['⟦', '⟧'],
  ['‹', '›'],
  ['«', '»'],
];

/**
 * Registers comments and brackets of Lean when the Lean 4 extension is absent. package.json declares only the language's
 * id: a configuration or grammar there could override the Lean 4 extension's, depending on load order.
 */
export function registerLeanLanguage(): Disposable {
  if (extensions.getExtension(LEAN_EXTENSION)) return toDisposable(() => {});
  return languages.setLanguageConfiguration(EDITOR_LANGUAGES.lean.cells, {
    comments: { lineComment: '--', blockComment: ['/-', '-/'] },
    brackets: BRACKETS,
    autoClosingPairs: [...BRACKETS, ['"', '"']].map(([open = '', close = '']) => ({ open, close })),
  });
}
