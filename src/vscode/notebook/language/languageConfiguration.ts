import { type CharacterPair, type Disposable, extensions, languages } from 'vscode';
import { DisposableStack } from '../../../base/disposable.ts';
import type { EditorConfiguration } from '../../../languages/languageDefinition.ts';
import { ALL_LANGUAGES } from '../../languages.ts';

/**
 * Comments and brackets of languages whose own extension is not installed. package.json declares no more than such a
 * language's id: two configurations of one language overwrite each other field by field, of two grammars the later wins,
 * and both orders are the editor's. And the language's files are not ours.
 */
export function registerLanguageConfigurations(): Disposable {
  const stack = new DisposableStack();
  for (const { cells, configuration } of ALL_LANGUAGES) {
    if (configuration && !extensions.getExtension(configuration.extension)) stack.add(configure(cells, configuration));
  }
  return stack;
}

function configure(cells: string, { lineComment, blockComment, brackets }: EditorConfiguration): Disposable {
  const pairs = brackets.map(([open, close]): CharacterPair => [open, close]);
  return languages.setLanguageConfiguration(cells, {
    comments: { lineComment, blockComment: [...blockComment] },
    brackets: pairs,
    autoClosingPairs: [...pairs, ['"', '"'] as const].map(([open, close]) => ({ open, close })),
  });
}
