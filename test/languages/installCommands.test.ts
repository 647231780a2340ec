import { describe, expect, it } from 'vitest';
import { nugetReferencesIn } from '../../src/languages/csharp/packages/nugetReferences.ts';
import { npmInstallsIn } from '../../src/languages/node/packages/npmInstalls.ts';
import { pipInstallsIn } from '../../src/languages/python/packages/cellInstalls.ts';

describe('the install commands of a Python cell', () => {
  it.each([
    ['%pip install seaborn', ['seaborn']],
    ['!pip install "requests[socks]>=2,<3" polars==1.0', ['requests[socks]>=2,<3', 'polars==1.0']],
    ['!uv pip install tqdm # a comment', ['tqdm']],
    ['!python -m pip install \\\n  tqdm', ['tqdm']],
    ['!{sys.executable} -m pip install tqdm', ['tqdm']],
    ['!pip install tqdm 2>/dev/null', ['tqdm']],
  ])('name their packages: %s', (code, packages) => {
    expect(pipInstallsIn(`x = 1\n${code}\ny = 2`)?.installs).toMatchObject([{ packages, files: [], upgrade: false }]);
  });

  it.each([
    'text = """\n%pip install evil\n"""',
    '  %pip install evil',
    '# %pip install evil',
    'x = "%pip install evil"',
  ])('are none within a text, a comment or a block: %s', (code) => {
    expect(pipInstallsIn(code)).toBeNull();
  });

  it('leave their lines empty, so that the others keep their numbers', () => {
    expect(pipInstallsIn('%pip install -q -U \\\n  a ./b.whl\n1 / 0')).toMatchObject({
      code: '\n\n1 / 0',
      installs: [{ packages: ['a'], files: ['./b.whl'], upgrade: true, quiet: true }],
    });
  });
});

describe('the install commands of a Python cell that throw their output away', () => {
  it.each(['> /dev/null', '>/dev/null 2>&1', '&> /dev/null', '1> /dev/null 2> /dev/null'])('are quiet: %s', (end) => {
    expect(pipInstallsIn(`!pip install tqdm ${end}`)).toMatchObject({
      installs: [{ packages: ['tqdm'], quiet: true }],
      problem: null,
    });
  });

  it.each(['2> /dev/null', '2>&1'])('are not, where only errors go elsewhere: %s', (end) => {
    expect(pipInstallsIn(`!pip install tqdm ${end}`)).toMatchObject({ installs: [{ quiet: false }], problem: null });
  });

  it('say what takes a list of packages', () => {
    expect(pipInstallsIn('!pip install -r requirements.txt')?.problem).toContain('comes with an environment');
  });
});

describe('the install commands of a Node.js cell', () => {
  it.each([
    ['!npm install lodash', ['lodash']],
    ['%npm i --save @types/node@^22 is-odd', ['@types/node@^22', 'is-odd']],
    ['const it = "`";\n!npm add lodash', ['lodash']],
    ["// don't open `\n!npm install lodash", ['lodash']],
    ['/* one line */\n!npm install lodash', ['lodash']],
  ])('name their packages: %s', (code, packages) => {
    expect(npmInstallsIn(code)?.installs).toMatchObject([{ packages, files: [] }]);
  });

  it.each([
    '`\n!npm install evil\n`',
    '/*\n!npm install evil\n*/',
    'x = `a\\``+`\n!npm install evil`',
    '  !npm install evil',
  ])('are none within a text or a comment: %s', (code) => {
    expect(npmInstallsIn(code)).toBeNull();
  });

  it('reject options that name other places', () => {
    expect(npmInstallsIn('!npm install --registry=http://evil.test x')?.problem).toContain('packages.*');
    expect(npmInstallsIn('!npm install')?.problem).toContain('names no package');
    expect(npmInstallsIn('!npm install ./own-1.0.0.tgz')?.installs).toMatchObject([{ files: ['./own-1.0.0.tgz'] }]);
  });
});

describe('the references of a C# cell to packages', () => {
  it.each([
    ['#r "nuget: Newtonsoft.Json, 13.0.3"', ['Newtonsoft.Json@13.0.3']],
    ['#r "nuget:Newtonsoft.Json"', ['Newtonsoft.Json']],
    ['  #r "nuget: A, [1.0, 2.0)"; // a comment', ['A@[1.0, 2.0)']],
    ['#r "nuget: A"\nusing A;\n#r "nuget: B, 1.*"', ['A', 'B@1.*']],
    ['var path = @"C:\\";\n#r "nuget: A"', ['A']],
    ['var mark = \'"\'; var text = "/*";\n#r "nuget: A"', ['A']],
  ])('name them, all of one cell together: %s', (code, packages) => {
    expect(nugetReferencesIn(code)).toMatchObject({ installs: [{ packages, files: [] }], areReferences: true });
  });

  it.each(['/*\n#r "nuget: Evil"\n*/', 'var x = @"\n#r ""nuget: Evil""\n";', '#r "System.Xml"', '// #r "nuget: Evil"'])(
    'are none within a text or a comment, and none of other assemblies: %s',
    (code) => {
      expect(nugetReferencesIn(code)).toBeNull();
    },
  );

  it('leave their lines empty, and name archives of the workspace', () => {
    expect(nugetReferencesIn('#r "nuget: ./own.1.0.0.nupkg"\nx')).toMatchObject({
      code: '\nx',
      installs: [{ packages: [], files: ['./own.1.0.0.nupkg'] }],
    });
    expect(nugetReferencesIn('#r "nuget: "')?.problem).toContain('names no package');
  });
});
