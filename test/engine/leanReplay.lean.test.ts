import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanImage } from '../leanImage.ts';
import { leanEngine, OWNER } from './leanEngine.ts';

const WITH_CHECKER = 'hothouse/lean-test-checker:latest';
/** For toolchains that bring no checker: a program on their own library's replay. */
const STAND_IN = fileURLToPath(new URL('../languages/lean/leanchecker.lean', import.meta.url));
const SCRIPT = '#!/bin/sh\\nexec lean --run /usr/local/lib/leanchecker.lean "$@"\\n';

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

/** Makes the image of the tests with a checker in it. */
function addChecker(): void {
  const install = `command -v leanchecker || { printf '${SCRIPT}' > /usr/local/bin/leanchecker; chmod 755 /usr/local/bin/leanchecker; }`;
  const id = docker('create', leanImage(), 'sh', '-c', install);
  docker('cp', STAND_IN, `${id}:/usr/local/lib/leanchecker.lean`);
  docker('start', '--attach', id);
  docker('commit', id, WITH_CHECKER);
  docker('rm', id);
}

const HONEST = `
theorem two : 1 + 1 = 2 := rfl
inductive Tree (α : Type) | leaf | node (left : Tree α) (value : α) (right : Tree α)
def Tree.size {α : Type} : Tree α → Nat
  | .leaf => 0
  | .node left _ right => left.size + 1 + right.size
structure Point where
  x : Nat
  y : Nat
instance : Inhabited Point := ⟨⟨0, 0⟩⟩
theorem em (p : Prop) : p ∨ ¬p := Classical.em p
mutual
  def even : Nat → Bool
    | 0 => true
    | n + 1 => odd n
  def odd : Nat → Bool
    | 0 => false
    | n + 1 => even n
end`;

/** Makes Lean add declarations without the kernel, by an option whose name the text does not have. */
const WITHOUT_KERNEL = `
macro "unchecked" : command => do
  let name := .str (.str .anonymous "debug") ("skip" ++ "KernelTC")
  let option : Lean.TSyntax \`ident := ⟨.ident .none default name []⟩
  \`(set_option $option:ident true)
unchecked
theorem wrong : 1 = 2 := by decide +kernel`;

const one = async (engine: Awaited<ReturnType<typeof leanEngine>>, code: string, more: object = {}) => {
  const checked = await engine.lean.check({ owner: OWNER, proofs: [{ code }], replay: true, ...more });
  if (!checked.ok) throw new Error(checked.error.message);
  const [answer] = checked.value;
  return { verdict: answer?.verdict, replay: answer?.report?.replay };
};

describe('a replay of compiled files where the toolchain has a checker', () => {
  beforeAll(addChecker);
  // After the engine has ended: hooks run in the reverse order.
  afterAll(() => {
    docker('rmi', WITH_CHECKER);
  });
  const engine = fileFixture(() => leanEngine({ lean: { image: WITH_CHECKER } }));

  it.each([
    ['of theorems, types and functions', HONEST, {}],
    ['of a proof with a header', 'theorem t : two = 2 := rfl', { header: 'def two : Nat := 2' }],
    ['of a module, whose file has parts', 'module\n\npublic theorem t : 1 + 1 = 2 := rfl', {}],
    ['of a proof that the judge accepts too', 'theorem t : 1 + 1 = 2 := rfl', { allowedAxioms: 'standard' }],
  ])('%s is accepted', async (_title, code, more) => {
    expect(await one(engine, code, more)).toEqual({
      verdict: 'accepted',
      replay: { checker: 'leanchecker', outcome: 'accepted', text: '' },
    });
  });

  it('rejects a declaration that was added without the kernel, which Lean itself accepts', async () => {
    const without = await engine.lean.check({ owner: OWNER, proofs: [{ code: WITHOUT_KERNEL }] });
    expect(without.ok && without.value[0]?.verdict).toBe('accepted');
    const { verdict, replay } = await one(engine, WITHOUT_KERNEL);
    expect(verdict).toBe('rejected');
    expect(replay).toMatchObject({ checker: 'leanchecker', outcome: 'rejected' });
    expect(replay?.text).toContain('wrong');
  });

  it('is not made of code that Lean rejects or that is incomplete', async () => {
    expect(await one(engine, 'theorem t : 1 = 2 := rfl')).toEqual({ verdict: 'rejected', replay: undefined });
    expect(await one(engine, 'theorem t : 1 = 2 := sorry')).toEqual({ verdict: 'incomplete', replay: undefined });
  });

  it('answers for each of many proofs', async () => {
    const proofs = [HONEST, WITHOUT_KERNEL, 'theorem t : 1 + 1 = 2 := rfl'].map((code, id) => ({ id: `${id}`, code }));
    const checked = await engine.lean.check({ owner: OWNER, proofs, replay: true });
    expect(checked.ok && checked.value.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['0', 'accepted'],
      ['1', 'rejected'],
      ['2', 'accepted'],
    ]);
  });

  it('accepts nothing that was not compiled to its end', async () => {
    const { verdict, replay } = await one(engine, `${HONEST}\n#eval (IO.Process.exit 3 : IO Unit)`);
    expect(verdict).not.toBe('accepted');
    expect(replay?.outcome).not.toBe('accepted');
  });
});

describe('a replay where the toolchain has no checker', () => {
  const engine = fileFixture(() => leanEngine());

  it('says so and claims nothing', async () => {
    const isThere = execFileSync('docker', ['run', '--rm', leanImage(), 'sh', '-c', 'command -v leanchecker || true']);
    if (isThere.length > 0) return;
    expect(await one(engine, 'theorem t : 1 + 1 = 2 := rfl')).toEqual({
      verdict: 'accepted',
      replay: { checker: null, outcome: 'unavailable', text: expect.stringContaining('brings no checker') },
    });
  });
});
