import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';
import { leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

/** Lean's report on the code as a check of its own, and as a cell of a session. */
async function reportsOn(code: string) {
  const cells = await leanCells(engine);
  const results = [await engine.run({ language: 'lean', owner: OWNER, code }), await cells.run(code)];
  return results.map(({ report }) => report);
}

const OFF = 'set_option warn.sorry false\n';

describe('a gap that Lean hides is not accepted', () => {
  it.each([
    ['a kernel that is switched off', 'set_option debug.skipKernelTC true in\ntheorem t : 1 = 2 := by decide +kernel'],
    [
      'a macro that opens a namespace',
      `${OFF}macro "ns" n:ident : command => \`(namespace $n)
theorem t : True := True.intro
ns A
theorem t : 1 = 2 := sorry`,
    ],
    [
      'a notation that makes code look like text',
      `notation "‹\\"" => 1
def a : Nat := ‹"
${OFF}example : 1 = 2 := sorry
def b : Nat := ‹"`,
    ],
    ['a local definition that nothing uses', `${OFF}def f : Nat := 1\nwhere g : 1 = 2 := sorry`],
    ['the default value of a field', `${OFF}structure S where\n  x : Nat\n  h : 1 = 2 := sorry`],
    ['tactic blocks that an option leaves out', 'set_option debug.byAsSorry true\nexample : 1 = 2 := by decide'],
  ])('%s', async (_, code) => {
    for (const report of await reportsOn(code)) expect(report?.verdict).toBe('incomplete');
  });

  it('#guard_msgs before an example', async () => {
    const code = '#guard_msgs (drop warning) in\nexample : 1 = 2 := sorry';
    // A library without the command has Lean's implementation of it.
    const syntax = `namespace Lean
syntax guardMsgsFilterAction := &"check" <|> &"drop" <|> &"pass"
syntax guardMsgsFilterSeverity := &"info" <|> &"warning" <|> &"error" <|> &"all"
syntax guardMsgsFilter := atomic(guardMsgsFilterAction)? guardMsgsFilterSeverity
syntax guardMsgsSpecElt := guardMsgsFilter
syntax guardMsgsSpec := "(" guardMsgsSpecElt,* ")"
syntax (name := guardMsgsCmd) "#guard_msgs" (ppSpace guardMsgsSpec)? " in" ppLine command : command
end Lean\n`;
    const [known] = await reportsOn(code);
    const [defined] = await reportsOn(`${syntax}${code}`);
    expect([known?.verdict, defined?.verdict].sort()).toEqual(['incomplete', 'rejected']);
  });
});

describe('axioms have their full names', () => {
  const STATEMENT = ': 1 = 2 := Evil.Quot.sound.elim';

  it.each([
    ['in an open namespace', `namespace Evil\ntheorem t ${STATEMENT}`, 'Evil.t'],
    ['after `open`', `theorem t ${STATEMENT}\nopen Evil`, 't'],
    ['whatever options say', `set_option pp.fullNames false\nopen Evil\ntheorem t ${STATEMENT}`, 't'],
  ])('%s', async (_, code, name) => {
    for (const report of await reportsOn(`axiom Evil.Quot.sound : False\n${code}`))
      expect(report?.axioms).toEqual([
        { name: 'Evil.Quot.sound', axioms: ['Evil.Quot.sound'] },
        { name, axioms: ['Evil.Quot.sound'] },
      ]);
  });

  it('with an open library namespace', async () => {
    for (const report of await reportsOn('open Classical\ntheorem t (p : Prop) : p ∨ ¬p := em p'))
      expect(report?.axioms?.map(({ axioms }) => axioms?.toSorted())).toEqual([
        ['Classical.choice', 'Quot.sound', 'propext'],
      ]);
  });
});
