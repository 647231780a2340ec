import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';

const engine = fileFixture(() => leanEngine());

const check = async (codes: readonly string[], rest = {}) => {
  const proofs = codes.map((code, index) => ({ id: `p${index}`, code }));
  const checked = await engine.lean.check({ owner: OWNER, proofs, ...rest });
  if (!checked.ok) throw new Error(checked.error.message);
  return checked.value;
};

describe('many proofs at once', () => {
  it('get one verdict each, in order', async () => {
    const codes = Array.from({ length: 40 }, (_, n) =>
      n % 4 === 0 ? `theorem t : ${n} = ${n + 1} := rfl` : `theorem t : ${n} + 1 = ${n + 1} := rfl`,
    );
    const answers = await check(codes);
    expect(answers.map(({ id }) => id)).toEqual(codes.map((_, n) => `p${n}`));
    expect(answers.map(({ verdict }) => verdict)).toEqual(codes.map((_, n) => (n % 4 === 0 ? 'rejected' : 'accepted')));
  });

  it('are not delayed by endless and crashing proofs', async () => {
    const endless = 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0';
    const codes = [endless, endless, ...Array.from({ length: 10 }, (_, n) => `theorem t : ${n} = ${n} := rfl`)];
    const ends: string[] = [];
    const answers = await Promise.all(
      codes.map(async (code) => {
        const [answer] = await check([code], { timeoutSeconds: 20 });
        ends.push(answer?.verdict ?? 'none');
        return answer?.verdict;
      }),
    );
    expect(answers).toEqual(['timeout', 'timeout', ...Array(10).fill('accepted')]);
    expect(ends.slice(-2)).toEqual(['timeout', 'timeout']);
  });

  it('share a header that does not count in their positions', async () => {
    const header = 'def two : Nat := 2\nopen Nat';
    const answers = await check(['theorem t : two = 2 := rfl', 'theorem t : two = 3 := rfl'], { header });
    expect(answers.map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected']);
    expect(answers[1]?.report?.messages[0]).toMatchObject({ line: 1 });
    expect(answers[0]?.report?.axioms?.map(({ name }) => name)).toEqual(['t']);
  });

  it('list the axioms of a declaration that the header starts and the proof ends', async () => {
    const header = 'axiom cheat : False\ntheorem other : 1 = 1 := rfl\ntheorem goal : 1 = 2 := by';
    const [first] = await check(['  exact cheat.elim'], { header });
    expect(first?.report?.axioms).toEqual([{ name: 'goal', axioms: ['cheat'] }]);
    const [second] = await check(['@cheat.elim _\ntheorem t : 1 = 1 := rfl'], { header: header.slice(0, -3) });
    expect(second?.report?.axioms).toEqual([
      { name: 'goal', axioms: ['cheat'] },
      { name: 't', axioms: [] },
    ]);
  });

  it('do not run main', async () => {
    const [answer] = await check(['def main : IO Unit := IO.println "ran"']);
    expect(answer).toMatchObject({ verdict: 'accepted', status: 'ok' });
  });
});

const PROOF = 'theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n  exact hq';

describe('goals', () => {
  it('are returned for a position', async () => {
    const found = await engine.lean.goals({ owner: OWNER, code: PROOF, at: { line: 2, column: 2 } });
    if (!found.ok) throw new Error(found.error.message);
    expect(found.value.goals).toMatchObject([{ line: 2, column: 2 }]);
    expect(found.value.goals[0]?.goals).toHaveLength(1);
    expect(found.value.goals[0]?.goals?.[0]).toContain('⊢ p ∧ q');
  });

  it('are returned for every sorry', async () => {
    const code = 'theorem t (p q : Prop) : p ∧ q :=\n  And.intro sorry sorry';
    const found = await engine.lean.goals({ owner: OWNER, code });
    if (!found.ok) throw new Error(found.error.message);
    expect(found.value.goals.map(({ line, column }) => [line, column])).toEqual([
      [2, 12],
      [2, 18],
    ]);
    expect(found.value.goals.map(({ goals }) => goals?.[0]?.split('\n').at(-1))).toEqual(['⊢ p', '⊢ q']);
  });

  it('are returned for a sorry inside a tactic', async () => {
    const code = 'theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n  exact sorry';
    const found = await engine.lean.goals({ owner: OWNER, code });
    if (!found.ok) throw new Error(found.error.message);
    const [goal] = found.value.goals;
    expect(goal).toMatchObject({ line: 4, column: 8 });
    expect(goal?.goals?.[0]).toContain('⊢ q');
    expect(found.value.report?.sorries[0]?.goal).toContain('⊢ q');
  });
});

const tryAll = async (code: string, at: { line: number; column: number }, tried: readonly string[]) => {
  const answer = await engine.lean.tryTactics({ owner: OWNER, code, at, tactics: tried });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
};

describe('tactics', () => {
  const code = 'theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n';

  it('are each tried on a copy of the proof', async () => {
    const tactics = ['exact hq', 'exact hp', 'nonsense', 'skip'];
    const tried = await engine.lean.tryTactics({ owner: OWNER, code, at: { line: 4, column: 2 }, tactics });
    if (!tried.ok) throw new Error(tried.error.message);
    const [done, wrong, unknown, idle] = tried.value;
    expect(done).toMatchObject({ tactic: 'exact hq', goals: [], error: null, verdict: 'accepted' });
    expect(wrong).toMatchObject({ tactic: 'exact hp', goals: null, verdict: 'rejected' });
    expect(wrong?.error).toMatch(/type mismatch/i);
    expect(unknown).toMatchObject({ goals: null, verdict: 'rejected' });
    expect(idle).toMatchObject({ error: null, verdict: 'rejected' });
    expect(idle?.goals?.[0]).toContain('⊢ q');
  });

  it('are tried on a line after the end of the code', async () => {
    const [done] = await tryAll('theorem t : 1 = 1 := by', { line: 2, column: 2 }, ['rfl']);
    expect(done).toMatchObject({ error: null, verdict: 'accepted' });
  });

  it('are tried at the nearest place to a position that is far outside of the code', async () => {
    const at = { line: 2, column: 2_000_000_000 };
    const [done] = await tryAll('theorem t : 1 = 1 ∧ True := by\n  apply And.intro rfl;', at, ['trivial']);
    expect(done).toMatchObject({ error: null, verdict: 'accepted' });
  });

  it('report the error of a term that is tried', async () => {
    const inTerm = `${code}  exact sorry\n`;
    const tried = await engine.lean.tryTactics({
      owner: OWNER,
      code: inTerm,
      at: { line: 4, column: 8 },
      tactics: ['hq', 'hp'],
    });
    if (!tried.ok) throw new Error(tried.error.message);
    const [done, wrong] = tried.value;
    expect(done).toMatchObject({ error: null, verdict: 'accepted' });
    expect(wrong).toMatchObject({ goals: null, verdict: 'rejected' });
    expect(wrong?.error).toMatch(/type mismatch/i);
  });
});
