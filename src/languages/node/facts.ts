import type { LanguageFacts } from '../languageDefinition.ts';

export const NODE: LanguageFacts & { readonly id: 'node' } = {
  id: 'node',
  displayName: 'Node.js',
  fileExtensions: ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'],
  packageManager: 'npm',
  editor: {
    cells: 'javascript',
    kernelspec: { name: 'node', display_name: 'Node.js', language: 'javascript' },
    triggers: ['.'],
    hasPlaces: false,
    enterFolder: (path) => `process.chdir(${JSON.stringify(path)})`,
  },
};
