import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine } from './leanEngine.ts';
import { leanCells, placesOf } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

/** A session with three cells, each of which uses the one before. */
async function three() {
  const cells = await leanCells(engine);
  await cells.run('def a : Nat := 1', { cell: 'one' });
  await cells.run('def b : Nat := a + 1\n#eval b', { cell: 'two' });
  await cells.run('theorem t : b = 2 := rfl', { cell: 'three' });
  return cells;
}

describe('a cell that ran before', () => {
  it('is replaced in its place, and later cells are rechecked', async () => {
    const cells = await three();
    const { status, stdout, report } = await cells.run('def a : Nat := 10\n\n#eval a', { cell: 'one' });
    expect({ status, stdout }).toEqual({ status: 'ok', stdout: '10\n' });
    expect(report?.rechecked.map(({ cell, report: { verdict } }) => [cell, verdict])).toEqual([
      ['two', 'accepted'],
      ['three', 'rejected'],
    ]);
    expect(report?.rechecked[0]?.report.messages).toMatchObject([{ line: 2, text: expect.stringContaining('11') }]);
    expect(placesOf(report?.rechecked[1]?.report)).toEqual(['error 1']);
    expect(report?.notes).toEqual(['Cell three has errors now; fix the code that it depends on.']);
    const fixed = await cells.run('def a : Nat := 1', { cell: 'one' });
    expect(fixed.report?.rechecked.map(({ cell, report: { verdict } }) => [cell, verdict])).toEqual([
      ['two', 'accepted'],
      ['three', 'accepted'],
    ]);
    expect(fixed.report?.notes).toEqual([]);
    expect((await cells.run('theorem u : b = 2 := t')).status).toBe('ok');
  });

  it('changes nothing when its new text has errors', async () => {
    const cells = await three();
    const { status, report } = await cells.run('def a : Nat := "x"', { cell: 'one' });
    expect(status).toBe('error');
    expect(report).toMatchObject({ verdict: 'rejected', rechecked: [], notes: [] });
    expect(await cells.print('#eval (a, b)\ntheorem u : b = 2 := t')).toBe('(1, 2)\n');
  });

  it('can be run again unchanged', async () => {
    const cells = await three();
    const again = await cells.run('def b : Nat := a + 1\n#eval b', { cell: 'two' });
    expect(again).toMatchObject({ status: 'ok', stdout: '2\n', report: { verdict: 'accepted', rechecked: [] } });
    expect(await cells.print('#eval b')).toBe('2\n');
  });

  it('may grow and shrink, and positions in later cells stay correct', async () => {
    const cells = await three();
    await cells.run('-- a\n-- b\n-- c\ndef a : Nat := 1', { cell: 'one' });
    const bad = await cells.run('-- x\ntheorem t : b = 3 := rfl', { cell: 'three' });
    expect(placesOf(bad.report)).toEqual(['error 2']);
    await cells.run('def a : Nat := 1', { cell: 'one' });
    const worse = await cells.run('theorem u : b = 3 := rfl', { cell: 'four' });
    expect(placesOf(worse.report)).toEqual(['error 1']);
  });

  it('may open a namespace for later cells', async () => {
    const cells = await three();
    const { report } = await cells.run('def a : Nat := 1\nnamespace A', { cell: 'one' });
    expect(report?.rechecked.map(({ cell, report: { axioms } }) => [cell, axioms?.map(({ name }) => name)])).toEqual([
      ['two', ['A.b']],
      ['three', ['A.t']],
    ]);
  });

  it('may be emptied, which removes its declarations from the session', async () => {
    const cells = await three();
    const { status, report } = await cells.run(' \n', { cell: 'three' });
    expect({ status, rechecked: report?.rechecked }).toEqual({ status: 'ok', rechecked: [] });
    expect((await cells.run('#check t')).report?.verdict).toBe('rejected');
    expect(await cells.print('theorem t : b = 2 := rfl\n#eval b')).toBe('2\n');
  });

  it('runs its own program again, and no other', async () => {
    const cells = await leanCells(engine);
    await cells.run('def greeting := "a"', { cell: 'one' });
    const main = 'def main : IO Unit := IO.println greeting';
    expect(await cells.run(main, { cell: 'two' })).toMatchObject({ stdout: 'a\n', exitCode: 0 });
    const edited = await cells.run('def greeting := "b"', { cell: 'one' });
    expect(edited).toMatchObject({ status: 'ok', stdout: '', exitCode: null });
    expect(await cells.run(main, { cell: 'two' })).toMatchObject({ stdout: 'b\n', exitCode: 0 });
    const other = 'def main : IO Unit := IO.println (greeting ++ "!")';
    expect(await cells.run(other, { cell: 'three' })).toMatchObject({ stdout: 'b!\n', exitCode: 0 });
    expect(await cells.run(main, { cell: 'two' })).toMatchObject({ stdout: 'b\n', exitCode: 0 });
  });
});

describe('imports', () => {
  it('in the first cell start the session with these imports', async () => {
    const cells = await leanCells(engine);
    const { status, report } = await cells.run('import Lean\nopen Lean\n#check Expr');
    expect(status).toBe('ok');
    expect(report?.notes).toEqual([]);
    expect(report?.messages).toMatchObject([{ line: 3 }]);
    expect(await cells.print('#eval (toJson 3).pretty')).toBe('"3"\n');
  });

  it('in a later cell restart and replay the session, with a note', async () => {
    const cells = await leanCells(engine);
    expect(await cells.print('def kept : Nat := 41\n#eval IO.println "once"')).toBe('once\n');
    const { status, report, stdout } = await cells.run('import Lean\n#eval (Lean.toJson kept).pretty');
    expect({ status, stdout }).toEqual({ status: 'ok', stdout: '"41"\n' });
    expect(report?.notes).toEqual(['The session restarted with the header of this cell; its cell was checked again.']);
    expect(report?.messages).toMatchObject([{ line: 2 }]);
    const again = await cells.run('import Lean\n#eval kept + 1');
    expect(again).toMatchObject({ stdout: '42\n', report: { notes: [] } });
  });

  it('that do not exist are reported at once, and nothing is lost', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 41');
    const { status, report, error, sessionLost } = await cells.run('import Nope.Missing\n#eval kept');
    expect({ status, sessionLost }).toEqual({ status: 'error', sessionLost: false });
    expect(report).toMatchObject({ verdict: 'rejected', messages: [{ severity: 'error', line: 1 }] });
    expect(error?.message).toContain('Nope');
    expect(await cells.print('#eval kept')).toBe('41\n');
    expect((await cells.run('import Nope.Missing')).status).toBe('error');
    expect((await cells.run('import Lean\n#eval kept + 1')).stdout).toBe('42\n');
  });

  it('that do not exist are reported in the first cell', async () => {
    const cells = await leanCells(engine);
    const { status, error } = await cells.run('import Nope.Missing\n#eval 1');
    expect(status).toBe('error');
    expect(error?.message).toContain('Nope');
    expect(await cells.print('#eval 1')).toBe('1\n');
  });

  it('of a rejected cell leave the session unchanged', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 41');
    expect((await cells.run('import Lean\n#eval nothing')).report?.verdict).toBe('rejected');
    expect((await cells.run('#check Lean.Expr')).report?.verdict).toBe('rejected');
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('after the header do not count as imports', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 41');
    expect((await cells.run('def x := 1\nimport Lean')).report?.verdict).toBe('rejected');
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('may be blocked', async () => {
    const strict = await leanEngine({ lean: { blockedImports: ['Lean'] } });
    try {
      const cells = await leanCells(strict);
      const refused = await cells.run('import Lean\n#eval 1');
      expect(refused).toMatchObject({ status: 'error', error: { name: 'ImportRefused' }, sessionLost: false });
      expect(await cells.print('#eval 1')).toBe('1\n');
    } finally {
      await strict.dispose();
    }
  });
});
