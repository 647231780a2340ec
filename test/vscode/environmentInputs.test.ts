import { describe, expect, it } from 'vitest';
import { nameProblem, packagesProblem, splitPackages } from '../../src/vscode/environments/inputs.ts';
import { environmentOf } from '../../src/vscode/environments/notebookEnvironment.ts';

describe('the input boxes of a new environment', () => {
  it('accept a free name and say what is wrong with another one', () => {
    expect(nameProblem('data-1', new Set())).toBeNull();
    expect(nameProblem('data', new Set(['data']))).toContain('There is an environment named data.');
    expect(nameProblem('python', new Set())).toContain('is the name of a language');
    for (const name of ['', 'Data', '../x', 'a b']) expect(nameProblem(name, new Set())).toContain('lower-case');
  });

  it('split packages at spaces and check each', () => {
    expect(splitPackages(' requests>=2,<3  tqdm\n')).toEqual(['requests>=2,<3', 'tqdm']);
    expect(packagesProblem('pip', 'requests>=2,<3 tqdm')).toBeNull();
    expect(packagesProblem('pip', '')).toBeNull();
    expect(packagesProblem('pip', 'tqdm --pre')).toContain('"--pre" is not the name of a package for pip');
  });
});

describe('the environment of a notebook', () => {
  it('is the one that its metadata names, of any form that a file may have', () => {
    expect(environmentOf({ metadata: { hothouse: { environment: 'data' } } })).toBe('data');
    for (const hothouse of [undefined, null, 7, 'data', {}, { environment: 7 }, { environment: '' }]) {
      expect(environmentOf({ metadata: { hothouse } })).toBeUndefined();
    }
  });
});
