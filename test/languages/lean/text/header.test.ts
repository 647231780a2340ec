import { describe, expect, it } from 'vitest';
import { EMPTY_HEADER, headerKey, joinHeaders, parseHeader } from '../../../../src/languages/lean/text/header.ts';

/** The header's text on one line, and the code behind it. */
function split(code: string): [string, string] {
  const { text, end } = parseHeader(code);
  return [text.trim().replaceAll('\n', '; '), code.slice(end)];
}

describe('parseHeader', () => {
  it.each([
    ['', '', ''],
    ['def x := 1', '', 'def x := 1'],
    ['import Lean', 'import Lean', ''],
    ['import Lean\nopen Lean', 'import Lean', '\nopen Lean'],
    ['import A import B.C\nimport «d e».F', 'import A; import B.C; import «d e».F', ''],
    ['prelude\nimport A\nx', 'prelude; import A', '\nx'],
    ['prelude import A', 'prelude; import A', ''],
    ['prelude prelude', 'prelude', ' prelude'],
    ['import runtime A', 'import runtime A', ''],
    ['import runtime\nimport B', 'import runtime; import B', ''],
    ['module\n\npublic import A\nmeta import B', 'module; public import A; meta import B', ''],
    ['module prelude public meta import all A', 'module; prelude; public meta import all A', ''],
    ['import A\npublic section', 'import A', '\npublic section'],
    ['import A\nmodule', 'import A', '\nmodule'],
    ['-- import X\nimport A -- import Y\nx', 'import A', ' -- import Y\nx'],
    ['/- import X /- nested -/ import Y -/ import A', 'import A', ''],
    ['import /- why -/ A', 'import A', ''],
    ['/-/ import X -/ import A', 'import A', ''],
    ['/- import A', '', '/- import A'],
    ['/-! about -/\nimport A', '', '/-! about -/\nimport A'],
    ['/-- doc -/\nimport A', '', '/-- doc -/\nimport A'],
    ['import A\n/-! import B -/', 'import A', '\n/-! import B -/'],
    ['#eval "import A"', '', '#eval "import A"'],
    ['"\nimport A"', '', '"\nimport A"'],
    ['importA', '', 'importA'],
    ['import.A', '', 'import.A'],
    ['«import» A', '', '«import» A'],
    ['import«A b»', 'import «A b»', ''],
    ['import A.', 'import A', '.'],
    ['import', '', 'import'],
    ['import A\nimport', 'import A', '\nimport'],
    ['import 1', '', 'import 1'],
    ['import import A', '', 'import import A'],
    ["import Aα'.b!?", "import Aα'.b!?", ''],
    ['import A\r\nimport B\r\nx', 'import A; import B', '\r\nx'],
    ['import\tA', '', 'import\tA'],
    ['import A\nimport B\nimport A', 'import A; import B', ''],
  ])('splits %j into the header %j and the rest %j', (code, header, rest) => {
    expect(split(code)).toEqual([header, rest]);
  });

  it('reads the modifiers of an import', () => {
    expect(parseHeader('module\npublic meta import all A\nimport runtime B')).toMatchObject({
      isModule: true,
      prelude: false,
      imports: [
        { name: 'A', public: true, meta: true, all: true, runtime: false },
        { name: 'B', public: false, meta: false, all: false, runtime: true },
      ],
      stray: [],
    });
  });

  it.each([
    ['/-! about -/ import A', ['A']],
    ['import A /-! about -/ import B import A', ['B']],
    ['import\rA', ['A']],
    ['import all /-! x -/ B', ['B']],
    ['/-- doc -/ import A', ['A']],
    ['def x := 1\nimport A', []],
    ['import A', []],
  ])('finds the stray imports of %j', (code, names) => {
    expect(parseHeader(code).stray.map(({ name }) => name)).toEqual(names);
  });

  it('parses the text of a header to the same header', () => {
    const {
      end: _,
      places: __,
      ...header
    } = parseHeader('module prelude /- c -/ public import A import all «b c».D -- e');
    expect(parseHeader(header.text)).toMatchObject(header);
  });

  it('parses a header of any length quickly', () => {
    const code = `${'/- '.repeat(50_000)}${'-/ '.repeat(50_000)}${'import A\n'.repeat(5_000)}`;
    expect(split(code)).toEqual(['import A', '\n']);
  });
});

describe('joinHeaders', () => {
  it.each([
    ['', '', ''],
    ['import A', '', 'import A\n'],
    ['', 'prelude import B', 'prelude\nimport B\n'],
    ['import A import B', 'import C import A', 'import A\nimport B\nimport C\n'],
    ['import A', 'prelude import B', 'import A\nimport B\n'],
    ['module import A', 'import B', 'module\nimport A\nimport B\n'],
    ['import A', 'public import A', 'import A\npublic import A\n'],
  ])('joins %j and %j', (a, b, text) => {
    const joined = joinHeaders(parseHeader(a), parseHeader(b));
    expect(joined.text).toBe(text);
    expect(joined).toMatchObject({ imports: parseHeader(text).imports });
  });

  it('returns a header unchanged if nothing is added', () => {
    expect(joinHeaders(EMPTY_HEADER, EMPTY_HEADER)).toEqual(EMPTY_HEADER);
  });
});

describe('headerKey', () => {
  const key = (code: string) => headerKey(parseHeader(code));

  it('is equal for the same imports, however they are written', () => {
    expect(key('import A import B\nx')).toBe(key('/- c -/ import A -- d\n\nimport B\r\n#eval 1'));
  });

  it.each([
    ['import A import B', 'import B import A'],
    ['import A', 'import A.B'],
    ['import A', 'public import A'],
    ['import A', 'module import A'],
    ['', 'prelude'],
  ])('differs for %j and %j', (a, b) => {
    expect(key(a)).not.toBe(key(b));
  });
});
