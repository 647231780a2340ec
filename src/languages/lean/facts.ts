import type { LanguageFacts } from '../languageDefinition.ts';
import { formatImports, isAdded, openGoals } from './editor.ts';

export const LEAN: LanguageFacts & { readonly id: 'lean' } = {
  id: 'lean',
  displayName: 'Lean',
  fileExtensions: ['.lean'],
  editor: {
    cells: 'lean4',
    kernelspec: { name: 'lean4', display_name: 'Lean 4', language: 'lean4' },
    triggers: ['.'],
    hasPlaces: true,
    formatPoolKey: formatImports,
    reports: { details: openGoals, isAdded },
    configuration: {
      extension: 'leanprover.lean4',
      lineComment: '--',
      blockComment: ['/-', '-/'],
      brackets: [
        ['(', ')'],
        ['[', ']'],
        ['{', '}'],
        ['⟨', '⟩'],
        ['⦃', '⦄'],
        ['⟦', '⟧'],
        ['‹', '›'],
        ['«', '»'],
      ],
    },
  },
};
