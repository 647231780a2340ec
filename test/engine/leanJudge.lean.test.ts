import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';

const engine = fileFixture(() => leanEngine());

interface Asked {
  readonly code: string;
  readonly statement?: string;
  readonly header?: string;
  readonly allowedAxioms?: readonly string[] | 'standard';
}

async function judged({ code, statement, header, allowedAxioms }: Asked) {
  const checked = await engine.lean.check({
    ...{ owner: OWNER, proofs: [{ code, ...(statement !== undefined && { statement }) }] },
    ...(header !== undefined && { header }),
    ...(allowedAxioms !== undefined && { allowedAxioms }),
  });
  if (!checked.ok) throw new Error(checked.error.message);
  const [answer] = checked.value;
  return { verdict: answer?.verdict, ...answer?.report?.judgement, messages: answer?.report?.messages };
}

const GOAL = 'theorem goal (a b : Nat) : a + b = b + a';
const PROOF = 'theorem goal (a b : Nat) : a + b = b + a := Nat.add_comm a b';
const FALSE = 'theorem goal : 1 = 2';

/** Proofs that prove what was asked for. */
const HONEST: Record<string, Asked> = {
  'a proof as asked': { statement: GOAL, code: PROOF },
  'a proof with lemmas, comments and a local notation': {
    statement: GOAL,
    code: `local infixl:65 " ⊹ " => Nat.add\ntheorem helper (a b : Nat) : a ⊹ b = b ⊹ a := Nat.add_comm a b\n${PROOF}`,
  },
  'a proof with comments': { statement: GOAL, code: `-- A macro of Lean.\n/- #eval IO -/\n${PROOF}` },
  'a statement that ends with := by sorry': { statement: `${GOAL} := by\n  sorry`, code: PROOF },
  'a lemma': { statement: GOAL.replace('theorem', 'lemma'), code: PROOF },
  'binders that are written in another way': {
    statement: GOAL,
    code: 'theorem goal : ∀ {a : Nat} (b : Nat), a + b = b + a := fun {a} b => Nat.add_comm a b',
  },
  'a proof with universes': {
    statement: 'theorem goal.{u} (α : Type u) (a : α) : a = a',
    code: 'universe v\ntheorem goal (α : Type v) (a : α) : a = a := rfl',
  },
  'bound variables that Lean adds': {
    statement: 'theorem goal (a : α) : a = a',
    code: 'theorem goal (a : α) : a = a := rfl',
  },
  'a name in a namespace': {
    header: 'namespace A\ndef two : Nat := 2',
    statement: 'theorem B.goal : two = 2',
    code: 'theorem B.goal : two = 2 := rfl',
  },
  'definitions, variables and notations of the header': {
    header: 'variable (n : Nat)\nnotation "⟦" x "⟧" => Nat.succ x',
    statement: 'theorem goal : ⟦n⟧ = n + 1',
    code: 'theorem goal : ⟦n⟧ = n + 1 := rfl',
  },
  'a proof that uses a standard axiom': {
    statement: 'theorem goal (p : Prop) : p ∨ ¬p',
    code: 'theorem goal (p : Prop) : p ∨ ¬p := Classical.em p',
  },
  'an axiom that is allowed': {
    header: 'axiom agreed : 1 = 2',
    statement: FALSE,
    code: 'theorem goal : 1 = 2 := agreed',
    allowedAxioms: ['agreed'],
  },
  'code without a statement': { code: `${PROOF}\nexample : 1 + 1 = 2 := rfl`, allowedAxioms: 'standard' },
  'a lemma with usual attributes and options': {
    statement: GOAL,
    code: `set_option maxRecDepth 1000\n@[reducible, inline] def one : Nat := 1\n@[local simp] theorem helper : one = 1 := rfl\n${PROOF}`,
  },
  'an axiom that the theorem does not rest on': { statement: GOAL, code: `axiom unused : False\n${PROOF}` },
};

/** Proofs that cheat, by what they try. */
const CHEATS: Record<string, Asked> = {
  'an axiom of its own': { statement: FALSE, code: 'axiom cheat : 1 = 2\ntheorem goal : 1 = 2 := cheat' },
  'an axiom in the place of the theorem': { statement: FALSE, code: 'axiom goal : 1 = 2' },
  'an axiom, without a statement': { code: 'axiom cheat : False', allowedAxioms: 'standard' },
  'an axiom of the header in an example': {
    header: 'axiom cheat : False',
    code: 'example : 1 = 2 := cheat.elim',
    allowedAxioms: 'standard',
  },
  'an axiom of the header in an instance': {
    header: 'axiom cheat : False',
    code: 'instance : Nonempty Empty := cheat.elim',
    allowedAxioms: 'standard',
  },
  'an axiom with the escaped name of a standard one': {
    statement: FALSE,
    code: 'axiom «Quot.sound» : 1 = 2\ntheorem goal : 1 = 2 := «Quot.sound»',
  },
  'a private axiom with the name of a standard one': {
    statement: FALSE,
    code: 'namespace A\nprivate axiom propext : 1 = 2\ntheorem _root_.goal : 1 = 2 := A.propext\nend A',
  },
  'an exported axiom with the name of a standard one': {
    statement: FALSE,
    code: 'axiom A.propext : 1 = 2\nexport A (propext)\ntheorem goal : 1 = 2 := A.propext',
  },
  'a notation that prints an axiom as a standard one': {
    statement: FALSE,
    code: 'axiom cheat : 1 = 2\nnotation "propext" => cheat\ntheorem goal : 1 = 2 := cheat',
  },
  'a notation that prints an axiom as a standard one, without a statement': {
    code: 'axiom cheat : 1 = 2\nnotation "propext" => cheat\ntheorem goal : 1 = 2 := cheat',
    allowedAxioms: 'standard',
  },
  'an axiom whose name reads as two standard ones': {
    statement: FALSE,
    code: 'axiom «propext, Quot.sound» : 1 = 2\ntheorem goal : 1 = 2 := «propext, Quot.sound»',
  },
  'an axiom whose name reads as universe levels of a standard one': {
    statement: FALSE,
    code: 'axiom «propext.{» : 1 = 2\ntheorem goal : 1 = 2 := «propext.{»',
  },
  'an axiom whose name reads as another answer': {
    statement: FALSE,
    code: "axiom «propext]\n'x' depends on axioms: [propext» : 1 = 2\ntheorem goal : 1 = 2 := «propext]\n'x' depends on axioms: [propext»",
  },
  'an axiom in a namespace that is called like the root': {
    statement: FALSE,
    code: 'namespace «_root_»\naxiom propext : 1 = 2\nend «_root_»\ntheorem goal : 1 = 2 := _root_._root_.propext',
  },
  'a private axiom whose full name an option hides': {
    code: 'set_option pp.privateNames false\nprivate axiom A.propext : 1 = 2\nopen A\ntheorem goal : 1 = 2 := A.propext',
    allowedAxioms: 'standard',
  },
  'an axiom in a mutual block': {
    code: 'axiom cheat : 1 = 2\nmutual\ntheorem goal : 1 = 2 := cheat\ntheorem other : 1 = 2 := cheat\nend',
    allowedAxioms: 'standard',
  },
  'sorry in the default of a field': {
    statement: FALSE,
    code: 'class C where h : 1 = 2 := sorry\ninstance : C := {}\ntheorem goal : 1 = 2 := C.h',
  },
  sorry: { statement: FALSE, code: 'theorem goal : 1 = 2 := sorry' },
  'sorry in a lemma': { statement: FALSE, code: 'theorem helper : 1 = 2 := by sorry\ntheorem goal : 1 = 2 := helper' },
  'sorry by an option': { statement: FALSE, code: 'set_option debug.byAsSorry true\ntheorem goal : 1 = 2 := by rfl' },
  'errors that are dropped': { statement: FALSE, code: '#guard_msgs (drop all) in\ntheorem goal : 1 = 2 := by rfl' },
  native_decide: { statement: 'theorem goal : 10 < 20', code: 'theorem goal : 10 < 20 := by native_decide' },
  'native_decide without a statement': {
    code: 'theorem goal : 10 < 20 := by native_decide',
    allowedAxioms: 'standard',
  },
  'another name': { statement: FALSE, code: 'theorem other : 1 = 1 := rfl' },
  'another statement': { statement: FALSE, code: 'theorem goal : 1 = 1 := rfl' },
  'a weaker statement': { statement: GOAL, code: 'theorem goal (a : Nat) : a + 0 = 0 + a := Nat.add_comm a 0' },
  'another hypothesis': { statement: FALSE, code: 'theorem goal (h : False) : 1 = 2 := h.elim' },
  'a hypothesis by a variable': {
    statement: FALSE,
    code: 'variable (h : False)\ninclude h\ntheorem goal : 1 = 2 := h.elim',
  },
  'a hypothesis that also fits the question': {
    statement: FALSE,
    code: 'class Absurd : Prop where out : False\nvariable [a : Absurd]\ninclude a\ntheorem goal : 1 = 2 := a.out.elim',
  },
  'a coercion to the statement': {
    statement: FALSE,
    code: 'class Absurd : Prop where out : False\nvariable [a : Absurd]\ninstance : CoeOut True (1 = 2) := ⟨fun _ => a.out.elim⟩\ntheorem goal : True := trivial',
  },
  'a hypothesis with a default': { statement: FALSE, code: 'theorem goal (h : 1 = 2 := sorry) : 1 = 2 := h' },
  'a look-alike of the name': { statement: FALSE, code: 'theorem gοal : 1 = 1 := rfl\ntheorem «gоal» : 1 = 1 := rfl' },
  'the name as an escaped one': { statement: FALSE, code: 'theorem «goal» : 1 = 1 := rfl' },
  'compiled code on a false premise': {
    statement: 'theorem goal : 1 = 1',
    code: 'axiom cheat : Nat = (Nat → Nat)\ndef run : Nat → Nat := cast cheat 12345678901\ntheorem ran : run 3 = run 3 := by native_decide\ntheorem goal : 1 = 1 := rfl',
  },
  'a symbol of Lean itself': {
    statement: 'theorem goal : 1 = 1',
    code: '@[export lean_nat_add] def add (a b : Nat) : Nat := a\ntheorem goal : 1 = 1 := rfl',
  },
  'a notation over the beginning of the question': {
    statement: FALSE,
    code: 'notation:max "end" x:max "theorem" y:max => (x, y, trivial).2.2\ntheorem goal : True :=',
  },
  'a notation in the place of the name': {
    statement: FALSE,
    code: 'notation:max "@_root_." x:max => (x, trivial).2\ntheorem goal : True := trivial',
  },
  'one universe only': {
    statement: 'theorem goal.{u} (α : Type u) (a : α) : a = a',
    code: 'theorem goal (α : Type) (a : α) : a = a := rfl',
  },
  'another Nat': {
    statement: 'theorem goal (n : Nat) : n = 0',
    code: 'namespace A\ninductive Nat | zero\ninstance : OfNat Nat 0 := ⟨.zero⟩\ntheorem _root_.goal (n : Nat) : n = 0 := by cases n; rfl\nend A',
  },
  'another equality': {
    statement: FALSE,
    code: 'local macro_rules | `($_ = $_) => `(True)\ntheorem goal : 1 = 2 := trivial',
  },
  'a notation in the place of =': {
    statement: FALSE,
    code: 'notation:50 (priority := high) a:51 " = " b:51 => a ≤ b\ntheorem goal : 1 = 2 := Nat.le_succ 1',
  },
  'another ≤': {
    statement: 'theorem goal : 2 ≤ 1',
    code: 'instance (priority := high) evil : LE Nat := ⟨fun _ _ => True⟩\ntheorem goal : 2 ≤ 1 := trivial',
  },
  'other numerals': {
    statement: FALSE,
    code: 'instance (priority := high) (n : Nat) : OfNat Nat n := ⟨7⟩\ntheorem goal : (1 : Nat) = 2 := rfl',
  },
  'another addition': {
    statement: 'theorem goal (a : Nat) : a + 1 = a',
    code: 'attribute [-instance] instHAdd\ninstance : HAdd Nat Nat Nat := ⟨fun a _ => a⟩\ntheorem goal (a : Nat) : a + 1 = a := rfl',
  },
  'a definition that hides one of the header': {
    header: 'def A.p : Prop := 1 = 2\nopen A',
    statement: 'theorem goal : p',
    code: 'def p : Prop := True\ntheorem goal : _root_.p := trivial',
  },
  open: {
    header: 'def A.p : Prop := 1 = 2\ndef B.p : Prop := True',
    statement: 'theorem goal : A.p',
    code: 'open B\ntheorem goal : p := trivial',
  },
  'a notation in the place of type_of%': {
    statement: FALSE,
    code: 'notation:max (priority := 9999) "type_of%" x:max => (True ∧ x = x)\ntheorem goal : True ∧ 1 = 1 := ⟨trivial, rfl⟩',
  },
  'a notation over the end of the question': {
    statement: FALSE,
    code: 'theorem goal : True := trivial\nnotation:10 x:65 " := " y:65 => (x = x ∧ y = y) ∨ True',
  },
  'a macro in the place of #print axioms': {
    statement: FALSE,
    code: 'axiom cheat : 1 = 2\nmacro_rules | `(command| #print axioms $i) => `(#print axioms Nat.add_comm)\ntheorem goal : 1 = 2 := cheat',
  },
  'a command in the place of theorem': {
    statement: FALSE,
    code: 'macro (priority := high) "theorem" n:ident ":" _t:term ":=" _v:term : command => `(def $n := trivial)\ntheorem goal : 1 = 2 := 3',
  },
  'a skipped kernel': {
    statement: FALSE,
    code: 'set_option debug.skipKernelTC true\ntheorem goal : 1 = 2 := by decide',
  },
  '#exit before the question': { statement: FALSE, code: 'theorem goal : 1 = 1 := rfl\n#exit' },
  'an unclosed comment': { statement: FALSE, code: 'theorem goal : 1 = 1 := rfl\n/- ' },
  'an open namespace with another goal': {
    statement: FALSE,
    code: 'theorem A.goal : 1 = 1 := rfl\nnamespace A\nopen A',
  },
  'a command that waits for the question': { statement: FALSE, code: 'theorem goal : 1 = 1 := rfl\nopen Nat in' },
  'a section that is closed early': {
    statement: FALSE,
    code: 'end\nvariable (h : False)\ninclude h\ntheorem goal : 1 = 2 := h.elim\nsection',
  },
  'output in the name of Lean': {
    statement: FALSE,
    code: '#eval (IO.println "Content-Length: 2\\r\\n\\r\\n{}" : IO Unit)\ntheorem goal : 1 = 1 := rfl',
  },
  'code in a string that a notation opens': {
    statement: FALSE,
    code: 'notation "«" => 1\ndef s := "\\"" -- "\nmacro "x" : command => `(#print axioms Nat)\ntheorem goal : 1 = 1 := rfl',
  },
  'a prelude of its own': { statement: FALSE, code: 'prelude\ninductive Nat\ntheorem goal : 1 = 2 := rfl' },
};

describe('the judge of proofs', () => {
  it.each(Object.entries(HONEST))('accepts %s', async (_, asked) => {
    expect(await judged(asked)).toMatchObject({ verdict: 'accepted', axioms: [], reasons: [] });
  });

  it.each(Object.entries(CHEATS))('rejects %s', async (_, asked) => {
    const answer = await judged(asked);
    const errors = (answer.messages ?? []).filter(({ severity }) => severity === 'error');
    expect(answer.verdict).toBe('rejected');
    expect((answer.reasons ?? []).length + errors.length).toBeGreaterThan(0);
  });

  it('names the axioms that are not allowed and what does not prove the statement', async () => {
    expect(await judged({ code: 'axiom cheat : False', allowedAxioms: ['propext'] })).toMatchObject({
      axioms: ['cheat'],
      reasons: ['cheat rests on axioms that are not allowed: cheat.'],
    });
    const { reasons } = await judged({ statement: GOAL, code: 'theorem goal : 1 = 1 := rfl' });
    expect(reasons).toHaveLength(1);
    expect(reasons?.[0]).toMatch(/^goal does not prove the statement: Type mismatch[\s\S]*1 = 1[\s\S]*a \+ b = b \+ a/);
  });

  it.each([
    ['def goal : Nat', /^The statement must be one theorem without its proof, such as /],
    ['theorem goal', /^The statement must be one theorem/],
    ['theorem goal : 1 = Nat.unknown', /^Lean does not accept the statement: Unknown constant `Nat.unknown`/],
    ['theorem goal : 1 = 2 := rfl', /^Lean does not accept the statement: /],
  ])('says what is wrong with the statement %s', async (statement, reason) => {
    const answer = await judged({ statement, code: 'theorem goal : 1 = 1 := rfl' });
    expect(answer.verdict).toBe('rejected');
    expect(answer.reasons?.[0]).toMatch(reason);
  });

  it('does not share a worker with code that it does not judge', async () => {
    const file = '/tmp/judge-shares';
    const leave = `#eval IO.FS.writeFile "${file}" "left"`;
    expect(await judged({ code: leave })).toMatchObject({ verdict: 'accepted' });
    const read = { header: `#eval IO.FS.readFile "${file}"`, code: PROOF };
    expect((await judged(read)).verdict).toBe('accepted');
    const alone = await judged({
      ...read,
      header: `def left : IO String := IO.FS.readFile "${file}"\n#eval left`,
      statement: GOAL,
    });
    expect(alone.verdict).toBe('rejected');
    expect(JSON.stringify(alone.messages)).toContain('no such file');
  });
});
