import { describe, expect, it } from 'vitest';
import { mayBeMisread } from '../../../../src/languages/lean/text/misreading.ts';

describe('mayBeMisread', () => {
  it.each([
    ['a notation', '', 'notation "‹" => 1'],
    ['a macro of an earlier cell', 'macro "m" : term => `(1)\n', 'theorem t : p := h'],
    ['a keyword in a comment', '', '-- a theorem\ntheorem t : p := h'],
    ['a keyword in a string', '', 'def s := "axiom a : p"'],
    ['a keyword after a quote in a hole', '', 'def s := f "{\'"\'}"\naxiom a : p'],
    ['a keyword in a longer name', '', 'theorem t : p := Fin.end'],
  ])('is true for %s', (_, before, code) => {
    expect(mayBeMisread(before, code)).toBe(true);
  });

  it.each([
    ['plain declarations', 'namespace A\n@[simp] theorem t : p := h\nend A\nexample := "x"'],
    ['a comment without keywords', '/- a proof -/ -- of it\ninstance : C := ⟨⟩'],
    ['names that contain keywords', 'theorem my_def : p := theorem_two.definition'],
  ])('is false for %s', (_, code) => {
    expect(mayBeMisread('', code)).toBe(false);
  });
});
