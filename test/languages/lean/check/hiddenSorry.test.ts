import { expect, it } from 'vitest';
import { mayHideSorry } from '../../../../src/languages/lean/check/hiddenSorry.ts';

const KNOWN = { name: 't', axioms: ['propext'], answered: true };
const OFF = 'set_option warn.sorry false\n';
const OPENING = 'macro "open_namespace" n:ident : command => `(namespace $n)\n';

it.each([
  ['an example', '', `${OFF}example : 1 = 2 := sorry`],
  ['an example behind `in`', '', 'set_option warn.sorry false in\nexample : 1 = 2 := by admit'],
  ['an option of an earlier cell', OFF, 'example : 1 = 2 := sorry'],
  ['an option with its name in quotes', '', 'set_option «warn».«sorry» false in example : 1 = 2 := sorry'],
  ['an instance without a name', '', `${OFF}instance : Inhabited False := sorry`],
  ['an instance with a priority and no name', '', `${OFF}instance (priority := low) : Inhabited False := sorry`],
  ['a complete example, because Lean reports nothing either way', '', `${OFF}example : 1 = 1 := rfl`],
  ['a namespace that a macro opens', `${OFF}${OPENING}`, 'open_namespace A\ntheorem t : 1 = 2 := sorry'],
])('sorry may be hidden in %s', (_, before, code) => {
  expect(mayHideSorry(before, code, [KNOWN])).toBe(true);
});

it.each([
  ['with the warning', '', 'example : 1 = 2 := sorry'],
  ['with the warning and a macro', OPENING, 'open_namespace A\ntheorem t : 1 = 2 := sorry'],
  ['of which Lean can be asked', '', `${OFF}theorem t : 1 = 2 := sorry`],
  ['of an earlier cell', `${OFF}example : 1 = 2 := sorry\n`, 'theorem t : 1 = 2 := sorry'],
  ['with a named instance', '', `${OFF}instance foo : Inhabited False := sorry`],
  ['where a comment or a text names the option', '', '-- warn.sorry\nexample : "warn.sorry" = "warn.sorry" := rfl'],
  ['with an option of a longer name', '', 'set_option my.warn.sorry false\nexample : 1 = 1 := rfl'],
])('Lean reports sorry in code %s', (_, before, code) => {
  expect(mayHideSorry(before, code, [KNOWN])).toBe(false);
});

it('sorry may be hidden in declarations whose axioms Lean does not report', () => {
  const unknown = { name: 't', axioms: null, answered: true };
  expect(mayHideSorry('', `module\n${OFF}theorem t : 1 = 2 := sorry`, [KNOWN, unknown])).toBe(true);
  expect(mayHideSorry('', 'module\ntheorem t : 1 = 2 := sorry', [KNOWN, unknown])).toBe(false);
});
