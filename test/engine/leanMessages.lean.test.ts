import { describe, expect, it } from 'vitest';
import type { RunRequest } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';
import { leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

const run = (code: string, rest: Partial<RunRequest> = {}) =>
  engine.run({ language: 'lean', owner: OWNER, code, ...rest });

describe('the message about code that ends Lean’s process', () => {
  it.each([0, 3])('with IO.Process.exit %i does not claim a stack overflow', async (code) => {
    const exit = `def kept : Nat := 1\n#eval (IO.Process.exit ${code} : IO Unit)\n#eval IO.sleep 2000`;
    const cells = await leanCells(engine);
    for (const { status, error, report } of [await run(exit), await cells.run(exit)]) {
      expect({ status, name: error?.name, report }).toEqual({ status: 'error', name: 'LeanCrashed', report: null });
      expect(error?.message).toContain('IO.Process.exit');
      expect(error?.message).not.toContain('likely');
    }
    expect(await cells.print('#eval 1')).toBe('1\n');
    expect((await run('theorem t : 1 = 1 := rfl')).report?.verdict).toBe('accepted');
  });
});

describe('#exit', () => {
  it('before other code is rejected, at its position', async () => {
    const { status, report, error } = await run('theorem t : 1 = 1 := rfl\n  #exit\ntheorem u : 1 = 2 := rfl');
    expect({ status, verdict: report?.verdict, axioms: report?.axioms }).toEqual({
      ...{ status: 'error', verdict: 'rejected', axioms: null },
    });
    const errors = report?.messages.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ line: 2, column: 2, endLine: 2, endColumn: 7 }]);
    expect(error?.message).toMatch(/^2:2: error: .*#exit/);
  });

  it('at the end of the code has no effect', async () => {
    const { status, report } = await run('theorem t : 1 = 1 := rfl\ntheorem u : 1 = 2 := sorry\n#exit\n-- the end');
    expect({ status, verdict: report?.verdict }).toEqual({ status: 'ok', verdict: 'incomplete' });
    expect(report?.axioms).toEqual([
      { name: 't', axioms: [] },
      { name: 'u', axioms: ['sorryAx'] },
    ]);
    expect((await run('theorem t : 1 = 1 := rfl\n#exit')).report?.verdict).toBe('accepted');
  });

  it('ends its cell in a session, with a note', async () => {
    const cells = await leanCells(engine);
    const { status, report } = await cells.run('def a : Nat := 1\n#exit\ndef b : Nat := 2');
    expect({ status, notes: report?.notes }).toEqual({
      ...{ status: 'ok', notes: ['What follows #exit is no part of the cell.'] },
    });
    expect((await cells.run('#eval a\n#exit')).report?.notes).toEqual([]);
  });
});

describe('an import that does not exist', () => {
  const CODE = '-- é\nimport Std\n\n  import Nope.Missing -- no\n\n#eval 1';
  const place = { severity: 'error', line: 4, column: 2, endLine: 4, endColumn: 21 };

  it('is reported at its position', async () => {
    expect((await run(CODE)).report?.messages).toMatchObject([place]);
    expect((await run('import Std.Nope\nimport Lean')).report?.messages).toMatchObject([
      { line: 1, column: 0, endColumn: 15 },
    ]);
    const cells = await leanCells(engine);
    await cells.print('def a : Nat := 1');
    expect((await cells.run(CODE)).report?.messages).toMatchObject([place]);
  });

  it('in a shared header is reported at the beginning of the code', async () => {
    const checked = await engine.lean.check({
      owner: OWNER,
      header: 'import Nope.Missing',
      proofs: [{ code: '\n\n#eval 1' }],
    });
    const [answer] = checked.ok ? checked.value : [];
    expect(answer?.report?.messages).toMatchObject([{ severity: 'error', line: 1, column: 0 }]);
  });
});

it('peak memory is reported for a check and for a cell', async () => {
  const MB = 1024 * 1024;
  expect((await run('#eval 1')).peakMemoryBytes).toBeGreaterThan(20 * MB);
  const cells = await leanCells(engine);
  const small = (await cells.run('#eval 1')).peakMemoryBytes;
  const much =
    'def much : List Nat := List.replicate 8000000 7\n#eval (do IO.println (toString much.length); IO.sleep 400 : IO Unit)';
  expect((await cells.run(much)).peakMemoryBytes).toBeGreaterThan(small + 50 * MB);
});

it('a proof that trusts the compiler lists the axiom for it', async () => {
  const { report } = await run('theorem t : 10 < 20 := by native_decide');
  expect(report?.verdict).toBe('accepted');
  expect(report?.axioms?.[0]?.axioms?.join()).toMatch(/native_decide|ofReduceBool|trustCompiler/);
});

it('Lean reports axioms in a module too', async () => {
  const { report } = await run(
    'module\ntheorem t : 1 = 1 := rfl\npublic theorem u : 1 = 2 := sorry\nexample : 1 = 1 := rfl',
  );
  expect(report).toMatchObject({ verdict: 'incomplete' });
  expect(report?.axioms).toEqual([
    { name: 't', axioms: [] },
    { name: 'u', axioms: ['sorryAx'] },
  ]);
});
