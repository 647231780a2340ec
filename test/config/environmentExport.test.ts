import { describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../src/config/environmentExport.ts';
import { parseEnvironmentFile } from '../../src/config/environmentFile.ts';
import { EnvironmentDefinition, type EnvironmentRecord } from '../../src/engine/environment/definition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

const HASH = '0'.repeat(64);
const PYTHON: EnvironmentRecord = {
  ...EnvironmentDefinition.parse({
    name: 'data',
    language: 'python',
    packages: { pip: ['requests[socks]>=2,<3', "six; python_version < '4'"], apt: ['graphviz'] },
    variables: { QUOTED: 'a "b" $HOME \\ c' },
  }),
  hash: '0'.repeat(16),
  image: 'hothouse/environment:0',
  lock: {
    base: `sha256:${HASH}`,
    pip: `requests[socks]==2.32.0 \\\n    --hash=sha256:${HASH}\nsix==1.17.0 ; python_version < "4" \\\n    --hash=sha256:${HASH}\n`,
    apt: `graphviz=2.42.4-3 sha256:${'0'.repeat(64)}\nlibcdt5:amd64=2.42.4-3\n`,
  },
  createdAt: 0,
};
const NODE: EnvironmentRecord = {
  ...PYTHON,
  ...EnvironmentDefinition.parse({ name: 'web', language: 'node', packages: { npm: ['@a/b@^1', 'c'] } }),
  lock: {
    base: 'x',
    npm: JSON.stringify({
      packages: {
        '': {},
        'node_modules/@a/b': { version: '1.2.0' },
        'node_modules/c': { version: '3.0.0' },
        'node_modules/c/node_modules/d': { version: '4.0.0' },
      },
    }),
  },
};

function exported(format: string, record: EnvironmentRecord, withLock = false): string | null | undefined {
  return EXPORT_FORMATS[format]?.(record, withLock);
}

describe('an exported environment', () => {
  it('as YAML is read again as it was, with its lock', () => {
    const { environments, problems } = parseEnvironmentFile(exported('yaml', PYTHON, true) ?? '', LANGUAGES);
    const { hash, image, lock, createdAt, ...definition } = PYTHON;
    expect(problems).toEqual([]);
    expect(environments).toEqual([{ input: definition, lock }]);
  });

  it('is a requirements.txt or a package.json, exact with the lock', () => {
    expect(exported('requirements', PYTHON)).toBe("requests[socks]>=2,<3\nsix; python_version < '4'\n");
    expect(exported('requirements', PYTHON, true)).toBe(PYTHON.lock.pip);
    expect(exported('package-json', PYTHON)).toBeNull();
    expect(exported('requirements', NODE)).toBeNull();
    const dependencies = (withLock: boolean) => JSON.parse(exported('package-json', NODE, withLock) ?? '').dependencies;
    expect(dependencies(false)).toEqual({ '@a/b': '^1', c: '*' });
    expect(dependencies(true)).toEqual({ '@a/b': '1.2.0', c: '3.0.0' });
  });

  it('is a Dockerfile without anything of Hothouse but the image to replace', () => {
    expect(exported('dockerfile', PYTHON, true)).toBe(
      [
        'ARG BASE=hothouse/python:latest',
        'FROM $BASE',
        'USER root',
        'RUN apt-get update && apt-get install --yes --no-install-recommends \\',
        "    'graphviz=2.42.4-3' \\",
        "    'libcdt5:amd64=2.42.4-3'",
        'RUN pip install --no-cache-dir --break-system-packages \\',
        "    'requests[socks]==2.32.0' \\",
        `    'six==1.17.0 ; python_version < "4"'`,
        'ENV QUOTED="a \\"b\\" \\$HOME \\\\ c"',
        '',
      ].join('\n'),
    );
    expect(exported('dockerfile', NODE)).toContain("RUN npm install --prefix / \\\n    '@a/b@^1' \\\n    'c'\n");
  });
});
