import { describe, expect, it } from 'vitest';
import { declarationsOf, findMain } from '../../../../src/languages/lean/check/declarations.ts';
import type { DocumentSymbol } from '../../../../src/languages/lean/lsp/queryResults.ts';
import { LineTable } from '../../../../src/languages/lean/text/position.ts';
import { symbol } from './made.ts';

const NAMESPACE = 3;

function names(text: string, symbols: DocumentSymbol[] = []): string[] {
  return declarationsOf(symbols, new LineTable(text)).map(({ name }) => name);
}

describe('declarationsOf', () => {
  it.each([
    ['theorem a : p := h\n@[simp] private def b := 1', ['a', 'b']],
    ['abbrev a := 1 instance b : C := d instance : C := d', ['a', 'b']],
    ['inductive A structure B class C class inductive D axiom E : F opaque g : h', ['A', 'B', 'C', 'D', 'E', 'g']],
    ['lemma a.b : p := by exact c', ['a.b']],
    ['theorem «a b».c.{u} : p := h', ['«a b».c']],
    ['example : p := h', []],
    ['open A in\nset_option b false in\ntheorem c : p := h', ['c']],
    ['mutual\ndef a := 1\ndef b := 2\nend', ['a', 'b']],
    ['-- theorem a\n/-- theorem b -/ def c := "theorem d"', ['c']],
    ['instance (priority := low) a : C := b instance (priority := 1) : C := b', ['a']],
    ['instance (x : A) : C x := b', []],
    ['coinductive P : Q where | a : P', ['P']],
    ['deriving instance Repr for A', []],
    ['attribute [instance] a', []],
    ['def f := `theorem', ['f']],
    ["theorem mathd_1' : p := h", ["mathd_1'"]],
    ['', []],
  ])('finds the declarations of %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('qualifies names by the enclosing namespaces, not by sections', () => {
    const inner = 'namespace B.C\ndef c := 1\nend B.C';
    const section = `section S\ndef s := 1\n${inner}\nend S`;
    const outer = `namespace A\ndef a := 1\n${section}\ndef _root_.r := 1\nend A`;
    const text = `def x := 1\n${outer}\ndef y := 1`;
    const symbols = [
      symbol(text, 'def x := 1', 'x'),
      symbol(text, outer, 'A', NAMESPACE, [
        symbol(text, section, 'S', NAMESPACE, [symbol(text, inner, 'B.C', NAMESPACE)]),
      ]),
    ];
    expect(names(text, symbols)).toEqual(['x', 'A.a', 'A.s', 'A.B.C.c', 'r', 'y']);
  });

  it('reads from the symbol the part of a namespace that an `end` closed', () => {
    const inner = 'namespace A.B\ndef c := 1\nend B';
    const outer = `${inner}\ndef d := 1\nend A`;
    const symbols = [symbol(outer, outer, 'A.B', NAMESPACE, [symbol(outer, inner, 'A.B', NAMESPACE, [], 'B')], 'A')];
    expect(names(outer, symbols)).toEqual(['A.B.c', 'A.d']);
  });

  it('extends an open namespace to the end, wherever its symbol ends', () => {
    const inner = 'namespace B\ndef b := 1\nend B';
    const rest = `namespace A\n${inner}\nmutual\ndef c := 1\nend`;
    const text = `def x := 1\n${rest}`;
    for (const whole of ['namespace A', rest]) {
      const symbols = [symbol(text, whole, 'A', NAMESPACE, [symbol(text, inner, 'B', NAMESPACE)])];
      expect(names(text, symbols)).toEqual(['x', 'A.B.b', 'A.c']);
    }
  });

  it('does not treat a section as a namespace', () => {
    const text = 'noncomputable section\ndef a := 1\nend';
    expect(names(text, [symbol(text, text, text, NAMESPACE, [], '<section>')])).toEqual(['a']);
  });

  it('returns the keyword and the range of the name', () => {
    expect(declarationsOf([], new LineTable('\n/-- 😀 -/ theorem t : p := h'))).toEqual([
      {
        name: 't',
        keyword: 'theorem',
        nameRange: { start: { line: 1, character: 18 }, end: { line: 1, character: 19 } },
      },
    ]);
  });
});

describe('findMain', () => {
  const DEF = 'def main : IO Unit :=\n  pure ()';
  const find = (text: string, symbols: DocumentSymbol[]) => findMain(symbols, new LineTable(text));

  it('returns the range of the declaration and of its name', () => {
    const text = `def x := 1\n${DEF}\n#eval main`;
    expect(find(text, [symbol(text, 'def x := 1', 'x'), symbol(text, DEF, 'main')])).toEqual({
      range: { start: { line: 1, character: 0 }, end: { line: 2, character: 9 } },
      nameRange: { start: { line: 1, character: 4 }, end: { line: 1, character: 8 } },
    });
  });

  it('finds a main in a section', () => {
    const text = `section S\n${DEF}\nend S`;
    const section = symbol(text, text, 'S', NAMESPACE, [symbol(text, DEF, 'main')]);
    expect(find(text, [section])?.range.start).toEqual({ line: 1, character: 0 });
  });

  it('returns the last of several', () => {
    const other = 'def main : IO Unit := other';
    const text = `${DEF}\n${other}`;
    expect(find(text, [symbol(text, DEF, 'main'), symbol(text, other, 'main')])?.range.start.line).toBe(2);
  });

  it.each([
    ['nothing', '#eval 1', []],
    ['one in a namespace', `namespace A\n${DEF}\nend A`, [NAMESPACE]],
    ['one in a namespace still open', `namespace A\n${DEF}`, [NAMESPACE]],
    ['a theorem of that name', 'theorem main : p := h', []],
    ['a longer name', 'def main.x := 1', []],
  ])('ignores %s', (_, text, [kind]) => {
    const symbols = kind ? [symbol(text, text, 'A', kind, [symbol(text, DEF, 'main')])] : [symbol(text, text, text)];
    expect(find(text, symbols)).toBeNull();
  });
});
