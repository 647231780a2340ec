import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine } from './leanEngine.ts';
import { leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

describe('main in a session', () => {
  it('prints what lean-docker-mcp promises', async () => {
    const one = await leanCells(engine);
    const hello =
      'def hello (name : String) : String := s!"Hello, {name}"\ndef main : IO Unit := IO.println (hello "Lean4!")';
    expect(await one.run(hello)).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'Hello, Lean4!\n' });
    const two = await leanCells(engine);
    const first = 'def add (a b : Nat) : Nat := a + b\ndef main : IO Unit := IO.println "Function defined"';
    expect(await two.run(first)).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'Function defined\n', stderr: '' });
    const second = 'def main : IO Unit := IO.println (toString (add 10 20))';
    expect(await two.run(second)).toMatchObject({ status: 'ok', exitCode: 0, stdout: '30\n', stderr: '' });
  });

  it('is run only by its own cell', async () => {
    const cells = await leanCells(engine);
    await cells.print('def main : IO Unit := IO.println "one"\ndef beside : Nat := 5');
    expect(await cells.run('#eval beside')).toMatchObject({ stdout: '5\n', exitCode: null });
    expect(await cells.print('#eval main')).toBe('one\n');
  });

  it.each([
    ['IO Unit', 'def main : IO Unit := IO.println "x"', 'x\n', 0],
    ['IO UInt32', 'def main : IO UInt32 := do\n  IO.println "x"\n  return 3', 'x\n', 3],
    ['IO UInt32 of 0', 'def main : IO UInt32 := pure 0', '', 0],
    ['List String → IO Unit', 'def main (args : List String) : IO Unit := IO.println (toString args.length)', '0\n', 0],
    [
      'List String → IO UInt32',
      'def main (args : List String) : IO UInt32 := do\n  IO.print "x"\n  return 258',
      'x',
      2,
    ],
    ['an implicit type', 'def main := IO.println "x"', 'x\n', 0],
    [
      'many lines',
      'def main : IO Unit := do\n  for i in [0:3] do\n    IO.println s!"{i} é😀"',
      '0 é😀\n1 é😀\n2 é😀\n',
      0,
    ],
  ])('may be %s', async (_, code, stdout, exitCode) => {
    const cells = await leanCells(engine);
    const status = exitCode === 0 ? 'ok' : 'error';
    expect(await cells.run(code)).toMatchObject({ status, stdout, exitCode, report: { verdict: 'accepted' } });
    if (exitCode !== 0) expect((await cells.run(code, { cell: 'a' })).error?.name).toBe('ExitStatus');
    expect(await cells.print('#eval 1')).toBe('1\n');
  });

  it('keeps the cell’s definitions when it fails', async () => {
    const cells = await leanCells(engine);
    const code = 'def kept : Nat := 4\ndef main : IO Unit := do\n  IO.println "before"\n  throw (IO.userError "boom")';
    expect(await cells.run(code)).toMatchObject({
      ...{ status: 'error', exitCode: 1, stdout: 'before\n', stderr: 'uncaught exception: boom\n' },
      ...{ error: { name: 'ExitStatus' }, report: { verdict: 'accepted' } },
    });
    expect(await cells.print('#eval kept')).toBe('4\n');
  });

  it('reads stdin, and writes to stdout and stderr', async () => {
    const cells = await leanCells(engine);
    await cells.print('def shout (s : String) : String := s.toUpper');
    const code = `def main : IO UInt32 := do
  let line ← (← IO.getStdin).getLine
  IO.print (shout line)
  IO.eprintln "aside"
  return 2`;
    const result = await cells.run(code, { stdin: 'this\nthat\n' });
    expect(result).toMatchObject({ status: 'error', exitCode: 2, stdout: 'THIS\n', stderr: 'aside\n' });
    expect(result.stdoutBytes).toBe(5);
    expect(await cells.print('#eval shout "a"')).toBe('"A"\n');
  });

  it('reads an empty stdin when the request has none', async () => {
    const cells = await leanCells(engine);
    const code = 'def main : IO Unit := do\n  let line ← (← IO.getStdin).getLine\n  IO.println s!"<{line}>"';
    expect(await cells.run(code)).toMatchObject({ status: 'ok', stdout: '<>\n' });
    expect(await cells.print('#eval 1')).toBe('1\n');
  });

  it('is kept when a new one is rejected', async () => {
    const cells = await leanCells(engine);
    await cells.print('def main : IO Unit := IO.println "one"');
    expect((await cells.run('def main : IO Unit := IO.println (1 : Nat) "x"')).status).toBe('error');
    expect(await cells.print('#eval main')).toBe('one\n');
  });

  it('does not run when its cell has an error', async () => {
    const cells = await leanCells(engine);
    const code = 'def main : IO Unit := IO.println "ran"\ntheorem t : 1 = 2 := rfl';
    expect(await cells.run(code)).toMatchObject({ status: 'error', stdout: '', exitCode: null });
  });

  it('may be redefined although other cells use it, but not twice in a cell', async () => {
    const cells = await leanCells(engine);
    await cells.print('def main : IO Unit := IO.println "one"');
    const user = await cells.run('def twice : IO Unit := do main; main', { cell: 'user' });
    expect(user.status).toBe('ok');
    const again = await cells.run('def main : IO Unit := IO.println "two"');
    expect(again).toMatchObject({ status: 'ok', stdout: 'two\n' });
    expect(again.report?.rechecked).toMatchObject([{ cell: 'user', report: { verdict: 'rejected' } }]);
    expect(again.report?.notes.join()).toContain('user');
    const both = 'def main : IO Unit := pure ()\ndef main : IO Unit := pure ()';
    expect((await cells.run(both)).report?.verdict).toBe('rejected');
  });

  it('does not run when it is in a namespace', async () => {
    const cells = await leanCells(engine);
    const code = 'namespace A\ndef main : IO Unit := IO.println "no"\nend A';
    expect(await cells.run(code)).toMatchObject({ status: 'ok', stdout: '', exitCode: null });
    expect(await cells.print('#eval A.main')).toBe('no\n');
  });

  it('may end its process, and the session continues', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 1');
    const code = 'def main : IO Unit := do\n  IO.println "x"\n  (← IO.getStdout).flush\n  IO.Process.exit 7';
    expect(await cells.run(code)).toMatchObject({ stdout: expect.stringContaining(''), status: 'error' });
    expect(await cells.print('#eval kept')).toBe('1\n');
  });

  it('is stopped at its timeout, and its cell is removed', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 1');
    const code = 'partial def loop : IO Unit := do loop\ndef main : IO Unit := loop';
    expect(await cells.run(code, { timeoutSeconds: 1 })).toMatchObject({ status: 'timeout', sessionLost: false });
    expect(await cells.print('#eval kept')).toBe('1\n');
    const read = await cells.run(code, { stdin: 'x', timeoutSeconds: 1 });
    expect(read).toMatchObject({ status: 'timeout', sessionLost: false });
    expect(await cells.print('#eval kept')).toBe('1\n');
  });
});
