import { describe, expect, it } from 'vitest';
import { PACKAGE_MANAGERS, packageName, packageProblem } from '../../../src/engine/packages/packageName.ts';
import { latenessOf } from '../../isolation/lateness.ts';

const NAMES = {
  pip: [
    ['requests', 'requests'],
    ['Jinja2', 'jinja2'],
    ['zope.interface_x', 'zope-interface-x'],
    ['requests[socks, use_chardet]', 'requests'],
    ['requests >=2.31, <3', 'requests'],
    ['numpy==2.2.*', 'numpy'],
    ['torch==2.7.0+cpu', 'torch'],
    ['tomli>=1; python_version < "3.11"', 'tomli'],
  ],
  npm: [
    ['lodash', 'lodash'],
    ['lodash@4.17.21', 'lodash'],
    ['@types/node@^22', '@types/node'],
    ['left-pad@>=1 <2', 'left-pad'],
    ['react@next', 'react'],
  ],
  nuget: [
    ['Newtonsoft.Json', 'newtonsoft.json'],
    ['Newtonsoft.Json@13.0.3', 'newtonsoft.json'],
    ['Newtonsoft.Json@[12.0, 14.0)', 'newtonsoft.json'],
    ['A@(, 2.0.0-beta.1]', 'a'],
    ['A@13.*', 'a'],
    ['A@*-*', 'a'],
  ],
  apt: [
    ['graphviz', 'graphviz'],
    ['g++', 'g++'],
    ['libgmp10:amd64=2:6.3.0+dfsg-3', 'libgmp10'],
  ],
} as const;

/** What no manager accepts as a package. */
const PLACES = [
  '',
  ' ',
  '-r',
  '--index-url=http://evil.example',
  '-e .',
  '.',
  './here',
  '../up',
  '/etc/passwd',
  '~/x',
  'http://evil.example/x.whl',
  'git+https://evil.example/x',
  'file:///etc',
  'x @ http://evil.example/x.whl',
  'x@http://evil.example/x.tgz',
  'x@file:../y',
  'x@npm:y',
  'user/repository',
  'x\n--index-url http://evil.example',
  'x;\nimport os',
  'x $(id)',
  'x`id`',
  "x'",
  'x --pre',
  'x.whl\0',
  'a'.repeat(400),
];

describe('the name of a package', () => {
  it.each(PACKAGE_MANAGERS)('is taken from every valid entry for %s', (manager) => {
    for (const [entry, name] of NAMES[manager]) {
      expect([entry, packageProblem(manager, entry)]).toEqual([entry, null]);
      expect(packageName(manager, entry)).toBe(name);
    }
  });

  it.each(PACKAGE_MANAGERS)('is no option, URL, path or line break for %s', (manager) => {
    for (const entry of PLACES) expect([entry, packageProblem(manager, entry)]).not.toEqual([entry, null]);
  });

  it('does not end with a minus for apt, which would remove the package', () => {
    expect(packageProblem('apt', 'python3-')).toContain('is not the name of a package for apt');
  });

  it('is answered in the time of its length, whatever it repeats', async () => {
    const { lateMs } = await latenessOf(async () => {
      for (const manager of PACKAGE_MANAGERS) {
        for (const part of ['a.', 'a-', 'a[b,', '1==', 'a ', '@a/'])
          packageProblem(manager, part.repeat(140).slice(0, 299));
      }
    });
    expect(lateMs).toBeLessThan(200);
  });
});
