import type { LanguageFacts } from '../languageDefinition.ts';

export const BASH: LanguageFacts & { readonly id: 'bash' } = {
  id: 'bash',
  displayName: 'Bash',
  fileExtensions: ['.sh', '.bash'],
  editor: {
    cells: 'shellscript',
    kernelspec: { name: 'bash', display_name: 'Bash', language: 'bash' },
    triggers: ['$', '/'],
    hasPlaces: false,
    enterFolder: (path) => `cd -- '${path.replaceAll("'", `'\\''`)}'`,
  },
};
