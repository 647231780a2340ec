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

const UNREAD = expect.objectContaining({ severity: 'error', text: expect.stringMatching(/no later cell/) });
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

  it('in a namespace that is called like the root', async () => {
    const code = 'namespace «_root_»\naxiom Quot.sound : False\ntheorem t : 1 = 2 := Quot.sound.elim';
    for (const report of await reportsOn(code))
      expect(report?.axioms?.map(({ axioms }) => axioms)).toEqual([['_root_.Quot.sound'], ['_root_.Quot.sound']]);
  });

  it('with an open library namespace', async () => {
    for (const report of await reportsOn('open Classical\ntheorem t (p : Prop) : p ∨ ¬p := em p'))
      expect(report?.axioms?.map(({ axioms }) => axioms?.toSorted())).toEqual([
        ['Classical.choice', 'Quot.sound', 'propext'],
      ]);
  });
});

describe('a macro that answers for Lean is not believed', () => {
  it.each([
    [
      'in a pattern',
      'macro_rules | `(command| #print axioms $n) => `(command| #print "\'t\' does not depend on any axioms")',
    ],
    [
      'in a command of its own',
      `syntax (priority := high) "#print" ident ident : command
macro_rules | \`(command| #print%$tk $a:ident $n:ident) => \`(command| #print%$tk "'t' does not depend on any axioms")`,
    ],
  ])('%s', async (_, macro) => {
    const code = `axiom cheat : False\ntheorem t : 1 = 2 := cheat.elim\n${macro}`;
    const [check, cell] = await reportsOn(code);
    expect(check?.verdict).toBe('incomplete');
    // A session does not keep a cell after which Lean itself answers nothing.
    expect(cell?.verdict).toMatch(/^(?:incomplete|rejected)$/);
  });
});

describe('axioms are listed for each declaration that Lean reads', () => {
  it.each([
    ['after a notation with a quote', 'notation "‹\\"" => 1\ndef a : Nat := ‹"\nCODEdef b : Nat := ‹"\n'],
    [
      'after a quote in a hole of a string',
      `macro "qq" x:interpolatedStr(term) : term => \`(s! $x)
def a : String := qq "{'"'}"\nCODEdef b : String := qq "{'"'}"`,
    ],
    ['after a notation that looks like a comment', 'notation "=--" => 1\ndef a : Nat := =-- CODEdef b := 1'],
    ['after a notation that ends with a letter', 'notation "‹x" => 1\ndef a : Nat := ‹xCODEdef b := 1'],
  ])('%s', async (_, around) => {
    const code =
      'axiom cheat : False\nopen Nat in theorem t : 1 = 2 := cheat.elim\nnamespace A axiom too : False end A\n';
    for (const report of await reportsOn(around.replace('CODE', code)))
      expect(report?.axioms).toEqual(
        expect.arrayContaining([
          { name: 'cheat', axioms: ['cheat'] },
          { name: 't', axioms: ['cheat'] },
          { name: 'A.too', axioms: ['A.too'] },
        ]),
      );
  });
});

it('axioms are listed for an instance with a priority', async () => {
  const code = 'axiom cheat : False\ninstance (priority := low) i : Inhabited (1 = 2) := ⟨cheat.elim⟩';
  for (const report of await reportsOn(code))
    expect(report?.axioms?.map(({ name, axioms }) => [name, axioms])).toEqual([
      ['cheat', ['cheat']],
      ['i', ['cheat']],
    ]);
});

describe('a declaration without a name', () => {
  const GAP = `theorem gap : 1 = 2 := sorry
instance gapAbove : Inhabited (1 = 3) := ⟨sorry⟩
@[simp] theorem gapIn : (1 = 4) = True := sorry`;

  it.each([
    ['by its name', 'example : 1 = 2 := gap'],
    ['by an instance', '#eval 1\nexample : 1 = 3 := default'],
    ['by a tactic', 'namespace A\nexample : 1 = 4 := by simp only [gapIn]'],
    ['and guesses a name for it', 'theorem Hothouse.nameless0 : True := True.intro\nexample : 1 = 2 := gap'],
    ['as an instance', 'instance : Inhabited (1 = 2) := ⟨gap⟩'],
  ])('that uses a gap of an earlier cell %s is incomplete', async (_, code) => {
    const cells = await leanCells(engine);
    await cells.run(GAP);
    expect((await cells.run(code)).report?.verdict).toBe('incomplete');
  });

  it('that uses no gap is accepted after a cell with one', async () => {
    const cells = await leanCells(engine);
    await cells.run(GAP);
    const code =
      '/-- d -/ example (n : Nat) (h : n = 2) : 2 = n := by\n  exact h.symm\ninstance : Inhabited Nat := ⟨1⟩\nexample := 5';
    expect((await cells.run(code)).report).toMatchObject({ verdict: 'accepted', messages: [] });
  });

  it('is checked again when an earlier cell changes', async () => {
    const cells = await leanCells(engine);
    await cells.run('axiom one : 1 = 2', { cell: 'first' });
    await cells.run('example : 1 = 2 := one', { cell: 'uses' });
    await cells.run('example : 1 = 1 := rfl', { cell: 'other' });
    const verdicts = async (code: string) => {
      const { report } = await cells.run(code, { cell: 'first' });
      return report?.rechecked.map(({ cell, report: { verdict } }) => [cell, verdict]);
    };
    expect(await verdicts('theorem one : 1 = 2 := sorry')).toEqual([['uses', 'incomplete']]);
    expect(await verdicts('axiom one : 1 = 2')).toEqual([['uses', 'accepted']]);
  });
});

describe('a cell of a session', () => {
  it.each([
    ['stops Lean', 'theorem t : 1 = 1 := rfl\n#exit.now'],
    [
      'takes the cells after it for its own',
      `syntax "take" (command)* : command
macro_rules | \`(command| take $_*) => \`(command| section)\ntake`,
    ],
  ])('that %s is rejected, and later cells are checked', async (_, code) => {
    const cells = await leanCells(engine);
    const { report } = await cells.run(code);
    expect(report).toMatchObject({ verdict: 'rejected', messages: expect.arrayContaining([UNREAD]) });
    expect((await cells.run('theorem u : 1 = 1 := rfl')).report?.axioms).toEqual([{ name: 'u', axioms: [] }]);
  });

  it('does not end at #exit in a quotation', async () => {
    const cells = await leanCells(engine);
    expect(await cells.print('macro "bye" : command => `(#exit)\ndef a := 1')).toBe('');
    expect(await cells.print('#eval a')).toBe('1\n');
  });
});
