import { describe, expect, it } from 'vitest';
import {
  hostsProblem,
  imageProblem,
  nameProblem,
  packagesProblem,
  splitHosts,
  splitPackages,
  splitVariables,
  variablesProblem,
} from '../../src/vscode/environments/inputs.ts';
import { environmentOf } from '../../src/vscode/environments/notebookEnvironment.ts';

describe('the input boxes of a new environment', () => {
  it('accept a free name and say what is wrong with another one', () => {
    expect(nameProblem('data-1', new Set())).toBeNull();
    expect(nameProblem('data', new Set(['data']))).toContain('There is an environment named data.');
    expect(nameProblem('python', new Set())).toContain('is the name of a language');
    for (const name of ['', 'Data', '../x', 'a b']) expect(nameProblem(name, new Set())).toContain('lower-case');
  });

  it('read variables with and without spaces, and say what is wrong with another text', () => {
    expect(splitVariables(' REGION=eu  GREETING="good morning" EMPTY= A=b=c ')).toEqual({
      REGION: 'eu',
      GREETING: 'good morning',
      EMPTY: '',
      A: 'b=c',
    });
    expect(variablesProblem('')).toBeNull();
    expect(variablesProblem('REGION=eu')).toBeNull();
    for (const text of ['REGION', 'A=1 b', '"A=1']) expect(variablesProblem(text)).toContain('Write NAME=value');
    expect(variablesProblem('9A=1')).toBe('9A: This is not the name of a variable.');
    expect(variablesProblem('LD_PRELOAD=x')).toBe('LD_PRELOAD: This variable cannot be set.');
  });

  it('read hosts, and say what is wrong with one', () => {
    expect(splitHosts(' example.org, *.example.com  a.org:8443 ')).toEqual([
      'example.org',
      '*.example.com',
      'a.org:8443',
    ]);
    expect(hostsProblem('example.org *.example.com')).toBeNull();
    expect(hostsProblem('  ')).toBe('Name a host.');
    for (const host of ['10.0.0.1', '*', '*.com', 'localhost', 'https://example.org']) {
      expect(hostsProblem(`example.org ${host}`)).toContain(`${host}: use a full name`);
    }
    expect(hostsProblem(Array.from({ length: 31 }, (_, index) => `a${index}.org`).join(' '))).toContain('too many');
  });

  it('accept the name of an image, or none', () => {
    for (const image of ['', ' ', 'hothouse/python:latest', 'registry.test/a@sha256:0'])
      expect(imageProblem(image)).toBeNull();
    for (const image of ['a b', '-x', '$(id)']) expect(imageProblem(image)).toContain('not the name of an image');
  });

  it('split packages at spaces and check each', () => {
    expect(splitPackages(' requests>=2,<3  tqdm\n')).toEqual(['requests>=2,<3', 'tqdm']);
    expect(splitPackages('a >= 2, < 3 ; python_version < "3.9" and sys_platform == "linux" b')).toEqual([
      'a >= 2, < 3 ; python_version < "3.9" and sys_platform == "linux"',
      'b',
    ]);
    expect(packagesProblem('pip', 'requests>=2,<3 tqdm ; python_version < "3.9" or extra == "x" six')).toBeNull();
    expect(splitPackages('lodash@^3 || ^4 a@1.2 - 1.4 b@>=1 <2 c')).toEqual([
      ...['lodash@^3 || ^4', 'a@1.2 - 1.4', 'b@>=1 <2', 'c'],
    ]);
    expect(packagesProblem('npm', 'lodash@^3 || ^4 a@1.2 - 1.4 b@>=1 <2 c')).toBeNull();
    expect(packagesProblem('pip', 'tqdm, requests')).toContain('"tqdm, requests" is not the name');
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
