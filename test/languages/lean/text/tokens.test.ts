import { describe, expect, it } from 'vitest';
import { sorryTokens, tokensOf } from '../../../../src/languages/lean/text/tokens.ts';

describe('tokensOf', () => {
  it.each([
    ["x' := 'a'", ["name x'", 'symbol :', 'symbol =', "char 'a'"]],
    ["'\\'' '\\x41' '\\u03b1' '😀'", ["char '\\''", "char '\\x41'", "char '\\u03b1'", "char '😀'"]],
    ["f '' s", ['name f', "symbol '", "symbol '", 'name s']],
    ['"a\\"b" c', ['string "a\\"b"', 'name c']],
    ['r"\\" r#"a"b"# r', ['string r"\\"', 'string r#"a"b"#', 'name r']],
    ['r##"a"#b"## c', ['string r##"a"#b"##', 'name c']],
    ['s!"a{b}c"', ['name s!', 'string "a{', 'name b', 'string }c"']],
    ['s! "{f {x := "}"}}" y', expect.arrayContaining(['string "}"', 'string }"', 'name y'])],
    ['s!"\\{a}" b', ['name s!', 'string "\\{a}"', 'name b']],
    ['"{a}" b', ['string "{a}"', 'name b']],
    ['`a.b ``c `(d)', ['quotedName `a.b', 'quotedName ``c', 'symbol `', 'symbol (', 'name d', 'symbol )']],
    ['«a "b».c', ['name «a "b».c']],
    ['0xff 1.5 x', ['symbol 0xff', 'symbol 1', 'symbol .', 'symbol 5', 'name x']],
    ['a -- b\nc /- d /- e -/ f -/ g', ['name a', 'name c', 'name g']],
    ['a /- b', ['name a']],
    ['"open', ['string "open']],
    ['s!"{a', ['name s!', 'string "{', 'name a']],
    ['} }', ['symbol }', 'symbol }']],
  ])('splits %j into its tokens', (code, expected) => {
    expect(tokensOf(code).map(({ kind, start, end }) => `${kind} ${code.slice(start, end)}`)).toEqual(expected);
  });

  it('returns tokens in order that do not overlap, for any text', () => {
    const pieces = ['"', "'", '{', '}', 's!', '/-', '-/', '--', '\n', '«', '»', '\\', '😀', 'r#', '`', 'sorry', ' '];
    let state = 7;
    const roll = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return pieces[state % pieces.length];
    };
    for (let round = 0; round < 500; round += 1) {
      let reached = 0;
      for (const { start, end } of tokensOf(Array.from({ length: 30 }, roll).join(''))) {
        expect(start).toBeGreaterThanOrEqual(reached);
        expect(end).toBeGreaterThan(start);
        reached = end;
      }
    }
  });
});

describe('sorryTokens', () => {
  it.each([
    ['theorem t : p := sorry', ['1:17']],
    ['theorem t : p := by\n  constructor\n  · admit\n  · sorry', ['3:4', '4:4']],
    ['example := ⟨𝔸, sorry⟩', ['1:15']],
    ['(sorry)', ['1:1']],
    ['-- sorry\n/- sorry -/ /-- sorry -/ /-! sorry -/', []],
    ['#eval "sorry" ++ r"sorry" ++ s!"sorry"', []],
    ['#eval s!"{sorry}"', ['1:10']],
    ["sorry' sorryAx my.sorry sorry.my notsorry sorry? «sorry» `sorry ``sorry", []],
    ['x.sorry .sorry', []],
    ["'s' sorry", ['1:4']],
    ["x' sorry '", ['1:3']],
    ['r"\\" sorry', ['1:5']],
  ])('finds each sorry in %j', (code, places) => {
    expect(sorryTokens(code).map(({ line, column }) => `${line}:${column}`)).toEqual(places);
  });

  it('counts offsets in UTF-16 units', () => {
    expect(sorryTokens('😀 sorry')).toEqual([{ offset: 3, line: 1, column: 2 }]);
  });
});
