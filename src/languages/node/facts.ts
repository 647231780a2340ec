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
    // Modules beside a notebook are found by `require` and `import`. The driver's own function, which leaves no name and no value.
    enterFolder: (path) => `globalThis[Symbol.for('hothouse.enter')](${JSON.stringify(path)})`,
  },
};
