import { type CharacterPair, type Disposable, extensions, languages } from 'vscode';
import { toDisposable } from '../../../base/disposable.ts';
import { EDITOR_LANGUAGES } from '../../languages.ts';

/** Brings the language's grammar, its abbreviations and a far richer configuration. */
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
 * Comments and brackets of Lean where its own extension is not there. package.json declares no more than the language's
 * id: two configurations of one language overwrite each other field by field, of two grammars the later wins, and both
 * orders are the editor's. And `.lean` files are not ours.
 */
export function registerLeanLanguage(): Disposable {
  if (extensions.getExtension(LEAN_EXTENSION)) return toDisposable(() => {});
  return languages.setLanguageConfiguration(EDITOR_LANGUAGES.lean.cells, {
    comments: { lineComment: '--', blockComment: ['/-', '-/'] },
    brackets: BRACKETS,
    autoClosingPairs: [...BRACKETS, ['"', '"']].map(([open = '', close = '']) => ({ open, close })),
  });
}
