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
        '-r other.txt (another file)',
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
      packages: { pip: ['a>=1.2,<2', 'b', 'c>=0.3,<0.4'] },
      leftOut: ['d (a version that only Poetry knows)'],
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

  it('are read from files as other programs write them, and what cannot be taken is named with the reason', () => {
    const requirements = [
      '\uFEFF# exported\r',
      '-e .\r',
      '-c constraints.txt',
      '--extra-index-url https://download.example/whl/cpu',
      'torch==2.4.0+cpu',
      'uvicorn[standard] >= 0.30 ; python_version >= "3.8" and sys_platform != "win32"',
      'numpy @ file:///croot/numpy_and_numpy_base/work',
      'cffi==1.17.1 \\\r',
      `    --hash=sha256:${'a'.repeat(64)} \\\r`,
      `    --hash=sha256:${'b'.repeat(64)}\r`,
      'zope.interface',
    ].join('\n');
    expect(readProjectFile('requirements.txt', requirements)).toMatchObject({
      packages: {
        pip: [
          'torch==2.4.0+cpu',
          'uvicorn[standard] >= 0.30 ; python_version >= "3.8" and sys_platform != "win32"',
          'cffi==1.17.1',
          'zope.interface',
        ],
      },
      leftOut: [
        '-e . (a folder or an address)',
        '-c constraints.txt (versions in another file)',
        '--extra-index-url https://download.example/whl/cpu (an option)',
        'numpy @ file:///croot/numpy_and_numpy_base/work (not a name with versions)',
      ],
    });
    const pyproject = `
[build-system]
requires = ["hatchling"]
[project]
name = "x"
dynamic = ["version"]
dependencies = ["httpx[http2]>=0.27", "tomli>=2; python_version < '3.11'"]
[project.optional-dependencies]
docs = ["sphinx"]
[dependency-groups]
dev = ["pytest", {include-group = "lint"}]
[tool.uv.sources]
httpx = {path = "../httpx"}
`;
    expect(readProjectFile('pyproject.toml', pyproject)).toMatchObject({
      packages: { pip: ['httpx[http2]>=0.27', "tomli>=2; python_version < '3.11'"] },
      leftOut: ['docs (optional)', 'dev (a group)', 'httpx (taken from the package index, not from its source for uv)'],
    });
    const poetry = `
[tool.poetry.dependencies]
python = ">=3.10,<4"
a = "~1.2.3"
b = {version = "^0.0.3", extras = ["x", "y"]}
c = {version = ">=1,<3", markers = "sys_platform == 'linux'", optional = true}
d = "1.2.*"
e = "^1.0 || ^2.0"
f = {version = "1", source = "mine"}
[tool.poetry.group.dev.dependencies]
pytest = "^8"
`;
    expect(readProjectFile('pyproject.toml', poetry)).toMatchObject({
      packages: { pip: ['a>=1.2.3,<1.3', 'b[x,y]>=0.0.3,<0.0.4', "c>=1,<3; sys_platform == 'linux'", 'd==1.2.*'] },
      leftOut: ['e (a version that only Poetry knows)', 'f (a version that only Poetry knows)', 'dev (a group)'],
    });
    const conda = `
name: lab
channels: [conda-forge, bioconda, defaults]
dependencies:
  - python>=3.10
  - numpy=1.26.4=py311h64a7726_0
  - scipy>=1.11,<2
  - pandas 2.2.*
  - scikit-learn
  - _libgcc_mutex=0.1=main
  - pip:
      - -r requirements.txt
      - tqdm>=4
variables: {TOKEN: x}
prefix: /home/x/miniconda3/envs/lab
`;
    expect(readProjectFile('environment.yml', conda)).toMatchObject({
      packages: { pip: ['numpy==1.26.4.*', 'scipy>=1.11,<2', 'pandas==2.2.*', 'scikit-learn', 'tqdm>=4'] },
      leftOut: [
        'conda-forge (a channel of conda)',
        'bioconda (a channel of conda)',
        'python>=3.10 (from conda)',
        '_libgcc_mutex=0.1=main (from conda)',
        '-r requirements.txt (another file)',
        'TOKEN (a variable)',
      ],
    });
    const npm = {
      workspaces: ['packages/*'],
      dependencies: {
        lodash: '^4.17.21',
        '@scope/ui': '>=1.2 <2 || ^3',
        own: 'workspace:*',
        local: 'file:../local',
        fork: 'github:x/y#main',
        renamed: 'npm:left-pad@^1',
        any: '',
      },
      devDependencies: { vitest: '^4' },
      optionalDependencies: { fsevents: '*' },
      peerDependencies: { react: '>=18' },
    };
    expect(readProjectFile('package.json', JSON.stringify(npm))).toEqual({
      language: 'node',
      packages: { npm: ['lodash@^4.17.21', '@scope/ui@>=1.2 <2 || ^3', 'any'] },
      leftOut: [
        'vitest (for development)',
        'fsevents (optional)',
        'react (a peer)',
        'workspaces (the packages in other folders)',
        'own@workspace:* (not a name with versions)',
        'local@file:../local (not a name with versions)',
        'fork@github:x/y#main (not a name with versions)',
        'renamed@npm:left-pad@^1 (not a name with versions)',
      ],
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
