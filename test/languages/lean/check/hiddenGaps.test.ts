import { describe, expect, it } from 'vitest';
import { mayHideGap } from '../../../../src/languages/lean/check/hiddenGaps.ts';
import { latenessOf } from '../../../isolation/lateness.ts';

const KNOWN = { name: 't', axioms: ['propext'], answered: true };
const OFF = 'set_option warn.sorry false\n';
const OPENING = 'macro "open_namespace" n:ident : command => `(namespace $n)\n';

describe('a gap may be hidden', () => {
  it.each([
    ['in an example without the warning', '', `${OFF}example : 1 = 2 := sorry`],
    ['in an example after `in`', '', 'set_option warn.sorry false in\nexample : 1 = 2 := by admit'],
    ['by an option of an earlier cell', OFF, 'example : 1 = 2 := sorry'],
    ['by an option with its name in quotes', '', 'set_option «warn».«sorry» false in example : 1 = 2 := sorry'],
    ['in an instance without a name', '', `${OFF}instance : Inhabited False := sorry`],
    ['in an instance with a priority and no name', '', `${OFF}instance (priority := low) : Inhabited False := sorry`],
    ['in a complete example, because Lean reports nothing either way', '', `${OFF}example : 1 = 1 := rfl`],
    ['in a local definition that nothing uses', '', `${OFF}def f : Nat := 1\nwhere g : 1 = 2 := sorry`],
    ['in the default value of a field', '', `${OFF}structure S where\n  h : 1 = 2 := by stop`],
    ['in a namespace that a macro opens', `${OFF}${OPENING}`, 'open_namespace A\ntheorem t : 1 = 2 := sorry'],
    ['in what a macro declares', '', `${OFF}macro "done" : command => \`(example : 1 = 2 := todo)`],
    ['where a notation makes the option look like text', '', `notation "‹\\"" => 1\n#eval ‹"\n${OFF}example : p := q`],
    ['by an option that skips the kernel', '', 'set_option debug.skipKernelTC true in theorem t : p := q'],
    ['by an earlier cell that skips the kernel', 'set_option «debug».«skipKernelTC» true\n', 'theorem t : p := q'],
    ['by a macro that answers for Lean', 'macro_rules | `(command| #print axioms $n) => m\n', 'theorem t : p := q'],
    ['by a command that answers for Lean', '', 'syntax "#print" ident ident : command\ntheorem t : p := q'],
    ['by #guard_msgs before an example', '', '#guard_msgs (drop warning) in\nexample : 1 = 2 := sorry'],
    [
      'by #guard_msgs with options between',
      '',
      '#guard_msgs (drop all) in set_option pp.all true in instance : C := x',
    ],
    ['by #guard_msgs before a local definition', '', '#guard_msgs (drop all) in def f := 1\nwhere g : 1 = 2 := sorry'],
  ])('%s', (_, before, code) => {
    expect(mayHideGap(before, code, [KNOWN])).toBe(true);
  });

  it('in declarations whose axioms Lean does not report', () => {
    const unknown = { name: 't', axioms: null, answered: true };
    expect(mayHideGap('', `module\n${OFF}theorem t : 1 = 2 := mine`, [KNOWN, unknown])).toBe(true);
    expect(mayHideGap('', '#guard_msgs (drop error) in theorem t : p := h', [KNOWN, unknown])).toBe(true);
    expect(mayHideGap('', 'module\ntheorem t : 1 = 2 := sorry', [KNOWN, unknown])).toBe(false);
  });
});

describe('Lean reports every gap', () => {
  it.each([
    ['with the warning', '', 'example : 1 = 2 := sorry'],
    ['with the warning and a macro', OPENING, 'open_namespace A\ntheorem t : 1 = 2 := sorry'],
    ['in code that leaves nothing out', '', `${OFF}theorem t : 1 = 1 := rfl`],
    ['in the option alone', '', OFF],
    ['after a cell that leaves something out', `${OFF}example : 1 = 2 := sorry\n`, 'theorem t : 1 = 1 := rfl'],
    ['with an option of a longer name', '', 'set_option my.warn.sorry false\nexample : 1 = 1 := rfl'],
    ['with #guard_msgs before a command', '', '/-- info: 1 -/\n#guard_msgs in\n#eval 1\nexample : 1 = 1 := rfl'],
    ['with a question of its own', 'macro "m" : term => `(1)\n', '#eval "x"\n#print axioms t\n#print "x"'],
    ['with #guard_msgs before a theorem', '', '#guard_msgs in theorem t : p := q\nexample : 1 = 1 := rfl'],
  ])('%s', (_, before, code) => {
    expect(mayHideGap(before, code, [KNOWN])).toBe(false);
  });
});

it('a search through long text takes no time', async () => {
  const { lateMs } = await latenessOf(async () => {
    mayHideGap('', 'guard_msgs '.repeat(100_000), []);
    mayHideGap('', '«warn».'.repeat(100_000), []);
    mayHideGap('', `${OFF}${'st'.repeat(200_000)}`, []);
  });
  expect(lateMs).toBeLessThan(500);
});
