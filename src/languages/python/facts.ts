import type { LanguageFacts } from '../languageDefinition.ts';

export const PYTHON: LanguageFacts & { readonly id: 'python' } = {
  id: 'python',
  displayName: 'Python',
  fileExtensions: ['.py'],
  packageManager: 'pip',
  editor: {
    cells: 'python',
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    triggers: ['.'],
    hasPlaces: false,
    // Modules beside a notebook are found as in Jupyter. The value of the last call is None, and no name is left.
    enterFolder: (path) =>
      `__import__('os').chdir(${JSON.stringify(path)}); __import__('sys').path.insert(0, ${JSON.stringify(path)})`,
    // A folder that was removed has no links.
    returnToFolder: (path) =>
      `__import__('os').stat('.').st_nlink and None or __import__('os').chdir(${JSON.stringify(path)})`,
    // Jupyter lets people choose among its own kernels.
    otherKernels: 'ms-toolsai.jupyter',
  },
};
