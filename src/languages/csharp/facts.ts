import type { LanguageFacts } from '../languageDefinition.ts';

export const CSHARP: LanguageFacts & { readonly id: 'csharp' } = {
  id: 'csharp',
  displayName: 'C#',
  fileExtensions: ['.csx', '.cs'],
  packageManager: 'nuget',
  editor: {
    cells: 'csharp',
    kernelspec: { name: '.net-csharp', display_name: 'C#', language: 'C#' },
    triggers: ['.'],
    hasPlaces: false,
    enterFolder: (path) => `System.IO.Directory.SetCurrentDirectory(${JSON.stringify(path)});`,
  },
};
