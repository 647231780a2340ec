import type { LanguageFacts } from '../languageDefinition.ts';

export const R: LanguageFacts & { readonly id: 'r' } = {
  id: 'r',
  displayName: 'R',
  fileExtensions: ['.r', '.R'],
  editor: {
    cells: 'r',
    kernelspec: { name: 'ir', display_name: 'R', language: 'R' },
    triggers: ['$', '@', ':'],
    hasPlaces: false,
    enterFolder: (path) => `invisible(setwd(${JSON.stringify(path)}))`,
  },
};
