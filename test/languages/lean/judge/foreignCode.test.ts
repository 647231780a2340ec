import { describe, expect, it } from 'vitest';
import { allowsNative, foreignWords } from '../../../../src/languages/lean/judge/foreignCode.ts';
import { STANDARD_AXIOMS } from '../../../../src/languages/lean/judge/terms.ts';

const words = (code: string, axioms: readonly string[] = STANDARD_AXIOMS) =>
  foreignWords(code, { before: '', allowsNative: allowsNative(axioms) });

describe('code that could answer in the place of the judge', () => {
  it.each([
    ['runs as a command', '#eval 1', ['#eval']],
    ['is a macro', 'macro "x" : term => `(1)', ['macro']],
    ['is a macro after a number', '1macro', ['macro']],
    ['is a command, by an attribute', '@[command_elab foo] def x := 1', ['command_elab', '@[command_elab]']],
    ['names the namespaces of Lean', 'open Lean Elab', ['Lean', 'Elab']],
    ['could be outside of a string', 'def s := "-- macro"', ['macro']],
    ['could be outside of a comment', 'notation "§--" => 1\n§-- macro', ['macro']],
    ['is decided by running it', '#guard f 1', ['#guard']],
    ['is a compiled decision', 'theorem t : f 3 = 5 := by native_decide', ['native_decide']],
    ['is a compiled decision by an option', 'theorem t : f 3 = 5 := by decide +native', ['native']],
    ['is a compiled decision without a tactic', 'theorem t := ofReduceBool c true rfl', ['ofReduceBool']],
    ['is a tactic, by an attribute', '@[tactic foo] def f : type_of% g := h', ['@[tactic]']],
    ['is a tactic, by an attribute after others', '@[simp, local tactic foo] def f := h', ['@[tactic]']],
    ['is registered later', 'attribute [inline, tactic foo] f', ['@[tactic]']],
    ['is registered in a namespace', 'scoped[A] attribute [tactic foo] f', ['@[tactic]']],
    ['is registered behind a comment', 'attribute /- " -/ [tactic foo] f', ['attribute']],
    ['is registered inside of another attribute', '@[to_additive (attr := tactic foo)] def f := h', ['@[to_additive]']],
    ['is a rule of a tactic', '@[norm_num 1 + _] def f := h', ['@[norm_num]']],
    ['is a symbol of Lean itself', '@[export lean_nat_add] def f (a b : Nat) := a', ['@[export]']],
    ['is decided by a solver and run', 'theorem t (x : BitVec 8) : x = x := by bv_decide', ['bv_decide']],
    ['is run on examples', 'theorem t : f 1 = 2 := by plausible', ['plausible']],
    ['starts with the program', 'builtin_initialize x : Nat ← pure 1', ['builtin_initialize']],
    ['makes an option', 'register_option a.b : Nat := {}', ['register_option']],
    ['makes a configuration', 'declare_config_elab f C', ['declare_config_elab']],
    [
      'has the type of a macro of the library',
      'def f : type_of% «_aux__Init_Core___macroRules_1» := g',
      ['_aux__Init_Core___macroRules_1'],
    ],
    ['takes its type from a library of tactics', 'def f : Aesop.RuleTac := g', ['Aesop']],
    ['changes how Lean checks', 'set_option debug.byAsSorry true', ['set_option debug']],
    ['changes how Lean reports', 'set_option internal.cmdlineSnapshots true', ['set_option internal']],
    ['changes what Lean runs', 'set_option interpreter.prefer_native true', ['set_option interpreter']],
    ['hides the name of an option', 'set_option «debug».byAsSorry true', ['set_option']],
  ])('%s', (_title, code, found) => {
    expect(words(code)).toEqual(found);
  });

  it.each([
    [
      'attributes of lemmas',
      '@[simp, local ext 1100] theorem t : 1 = 1 := rfl\nattribute [-simp] t\n@[grind =] def f := 1',
    ],
    ['a list in an attribute', '@[deprecated t (since := "2026-01-01")] theorem u : 1 = 1 := rfl'],
    ['usual options', 'set_option maxHeartbeats 400000 in\nset_option maxRecDepth 1000\ntheorem t : 1 = 1 := rfl'],
    ['an attribute whose name contains a word', '@[elab_as_elim] theorem t : p := h'],
    ['a decision by the kernel', 'theorem t : 1 < 2 := by decide'],
    ['longer words', 'theorem macroscopic : p := IOTA'],
    ['names that contain words', 'theorem evaluate (macros natives : Nat) : alternative = attributes := h'],
    ['a size of a set', 'theorem t (s : Finset Nat) : #s = #s := rfl'],
    [
      'words in comments',
      '-- macro native_decide by an attribute [tactic]\n/- set_option debug.x -/ theorem t : 1 = 1 := rfl',
    ],
  ])('is not %s', (_title, code) => {
    expect(words(code)).toEqual([]);
  });

  it('is no compiled decision where its axiom is allowed', () => {
    const code = 'theorem t : f 3 = 5 := by native_decide';
    expect(words(code, ['Lean.ofReduceBool'])).toEqual([]);
    expect(words(code, ['t._native.native_decide.ax_1_1'])).toEqual([]);
    expect(words(`#eval 1\n${code}`, ['Lean.ofReduceBool'])).toEqual(['#eval']);
  });
});
