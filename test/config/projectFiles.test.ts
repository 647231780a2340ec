import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../src/config/projectFiles.ts';

describe('the packages of a project', () => {
  it('are read from requirements.txt without options, hashes, addresses and other files', () => {
    const text = [
      '# what we need',
      'pandas>=2,<3  # tables',
      'requests[socks]==2.32.0 \\',
      '    --hash=sha256:abc',
      '-r other.txt',
      '--index-url http://evil.example',
      'git+https://evil.example/x',
      './local',
      'Pandas',
    ].join('\n');
    expect(readProjectFile('requirements.txt', text)).toEqual({
      language: 'python',
      packages: { pip: ['pandas>=2,<3', 'requests[socks]==2.32.0'] },
      leftOut: [
        '-r other.txt (an option)',
        '--index-url http://evil.example (an option)',
        'git+https://evil.example/x (not a name with versions)',
        './local (not a name with versions)',
        'Pandas (listed twice)',
      ],
    });
  });

  it('are read from pyproject.toml, of the standard and of Poetry', () => {
    const standard = '[project]\nname = "x"\ndependencies = ["numpy>=2", "mine @ file:///x"]\n';
    expect(readProjectFile('pyproject.toml', standard)).toMatchObject({
      packages: { pip: ['numpy>=2'] },
      leftOut: ['mine @ file:///x (not a name with versions)'],
    });
    const poetry = '[tool.poetry.dependencies]\npython = "^3.12"\na = "^1.2"\nb = "*"\nc = "^0.3"\nd = {git = "x"}\n';
    expect(readProjectFile('pyproject.toml', poetry)).toMatchObject({
      packages: { pip: ['a>=1.2,<2', 'b'] },
      leftOut: ['c (a version that only Poetry knows)', 'd (a version that only Poetry knows)'],
    });
  });

  it('are read from environment.yml, with the packages of pip in it', () => {
    const text =
      'dependencies:\n  - python=3.11\n  - numpy=1.26\n  - scipy>=1.1\n  - conda-forge::x\n  - pip:\n    - tqdm\n';
    expect(readProjectFile('environment.yml', text)).toMatchObject({
      packages: { pip: ['numpy==1.26.*', 'scipy>=1.1', 'tqdm'] },
      leftOut: ['python=3.11 (from conda)', 'conda-forge::x (from conda)'],
    });
  });

  it('are none in a file of another form, and one that is broken throws', () => {
    for (const [file, text] of [
      ['pyproject.toml', 'project = 7'],
      ['environment.yml', '- 1'],
      ['environment.yml', ''],
      ['requirements.txt', ''],
    ] as const) {
      expect(readProjectFile(file, text).packages).toEqual({ pip: [] });
    }
    expect(() => readProjectFile('pyproject.toml', '[')).toThrow();
  });
});
