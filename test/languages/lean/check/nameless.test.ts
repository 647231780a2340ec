import { expect, it } from 'vitest';
import { withNames } from '../../../../src/languages/lean/check/nameless.ts';

const ALL = { from: 0, prefix: 'Hothouse.nameless', first: 0, keywords: [] };

it.each([
  ['example : p := h', 'def _root_.Hothouse.nameless0 : p := h'],
  ['/-- d -/ example (h : p) : p := h', '/-- d -/ def _root_.Hothouse.nameless0 (h : p) : p := h'],
  ['instance : C := ⟨⟩', 'instance _root_.Hothouse.nameless0 : C := ⟨⟩'],
  [
    'example := 1\nlocal instance [D] : C := x',
    'def _root_.Hothouse.nameless0 := 1\nlocal instance _root_.Hothouse.nameless1 [D] : C := x',
  ],
  ['instance (priority := low) : C := x', 'instance (priority := low) _root_.Hothouse.nameless0 : C := x'],
])('names the declarations of %j', (code, named) => {
  expect(withNames(code, ALL).body).toBe(named);
});

it.each([
  'instance named : C := ⟨⟩',
  '-- example\n/- instance : -/ def s := "example"',
  'instance (priority := low) named : C := ⟨⟩',
  'attribute [instance] f',
  '@[instance, simp] def f := 1',
  'deriving instance Repr for T',
])('leaves %j as it is', (code) => {
  expect(withNames(code, ALL)).toEqual({ body: code, names: [] });
});

it('names only what starts at the offset, with numbers from the first one', () => {
  const code = 'example := 1\nexample := 2';
  expect(withNames(code, { ...ALL, from: 5, first: 7 })).toEqual({
    ...{ body: 'example := 1\ndef _root_.Hothouse.nameless7 := 2', names: ['Hothouse.nameless7'] },
  });
});

it('names what Lean reads as code and the tokens do not', () => {
  const code = 'def a := ‹"\nexample := 1';
  expect(withNames(code, ALL).names).toEqual([]);
  expect(withNames(code, { ...ALL, keywords: [code.indexOf('example')] }).body).toBe(
    'def a := ‹"\ndef _root_.Hothouse.nameless0 := 1',
  );
});
