import type { LanguageFacts } from '../languageDefinition.ts';

export const PYTHON: LanguageFacts & { readonly id: 'python' } = {
  id: 'python',
  displayName: 'Python',
  fileExtensions: ['.py'],
  editor: {
    cells: 'python',
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    triggers: ['.'],
    hasPlaces: false,
    // Jupyter lets people choose among its own kernels.
    otherKernels: 'ms-toolsai.jupyter',
  },
};
