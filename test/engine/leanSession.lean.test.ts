import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine } from './leanEngine.ts';
import { leanCells, placesOf } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

describe('across cells', () => {
  it.each([
    ['definitions', 'def two : Nat := 2', '#eval two + 40', '42\n'],
    ['theorems', 'theorem t (a : Nat) : a = a := rfl', 'theorem u : 1 = 1 := t 1\n#eval 1', '1\n'],
    ['structures', 'structure P where\n  x : Nat\n  y : Nat', '#eval (P.mk 1 2).y', '2\n'],
    ['notation', 'notation "!!" => 3', '#eval !! + 1', '4\n'],
    ['operators', 'infixl:65 " +++ " => Nat.mul', '#eval 6 +++ 7', '42\n'],
    ['macros', 'macro "seven" : term => `(7)', '#eval seven', '7\n'],
    ['open', 'namespace A\ndef a : Nat := 5\nend A\nopen A', '#eval a', '5\n'],
    ['open namespaces', 'namespace B\ndef b : Nat := 6', '#eval b\n#eval B.b\nend B', '6\n6\n'],
    ['options', 'set_option pp.all true', '#check (1 : Nat)', /OfNat\.ofNat/],
    ['variables', 'variable (n : Nat)', 'def f := n + 1\n#eval f 2', '3\n'],
    [
      'instances',
      'structure Q where\n  q : Nat\ninstance : ToString Q := ⟨fun q => s!"<{q.q}>"⟩',
      '#eval toString (Q.mk 3)',
      '"<3>"\n',
    ],
  ])('%s persist', async (_, first, second, printed) => {
    const cells = await leanCells(engine);
    expect((await cells.run(first)).report?.verdict).toBe('accepted');
    expect(await cells.print(second)).toEqual(typeof printed === 'string' ? printed : expect.stringMatching(printed));
  });

  it('an open namespace and section can be closed later', async () => {
    const cells = await leanCells(engine);
    await cells.print('namespace A\nsection\nvariable (n : Nat)');
    await cells.print('theorem t : n = n := rfl');
    expect((await cells.run('theorem u : True := True.intro')).report?.axioms).toEqual([{ name: 'A.u', axioms: [] }]);
    await cells.print('end\nend A');
    expect((await cells.run('#check t')).report?.verdict).toBe('rejected');
    expect(await cells.print('#check A.t')).toContain('A.t');
  });

  it('definitions of many interleaved cells persist', async () => {
    const cells = await leanCells(engine);
    for (let n = 1; n <= 30; n += 1) {
      await cells.print(`def d${n} : Nat := ${n === 1 ? '1' : `d${n - 1} + 1`}`);
      if (n % 3 === 0) expect((await cells.run(`def bad${n} : Nat := "x"`)).status).toBe('error');
      if (n % 5 === 0) expect(await cells.print(`#eval d${n}`)).toBe(`${n}\n`);
    }
    expect(await cells.print('#eval d1 + d30')).toBe('31\n');
  });
});

describe('a cell’s report', () => {
  it("has positions in the cell's own code", async () => {
    const cells = await leanCells(engine);
    await cells.print('def a : Nat := 1\n\n-- é😀\n');
    const { report, error, status } = await cells.run('\n/- é😀 -/ theorem t : a = 2 := rfl');
    expect(status).toBe('error');
    expect(report).toMatchObject({ verdict: 'rejected', axioms: null });
    expect(placesOf(report)).toEqual(['error 2']);
    expect(error).toMatchObject({ name: 'LeanError', message: expect.stringMatching(/^2:\d+: error: /) });
    expect(error?.traceback).toContain('error: ');
    expect((await cells.run('theorem t : a = 1 := rfl')).report).toMatchObject({ verdict: 'accepted', messages: [] });
  });

  it('returns the goals of each sorry, and its axioms', async () => {
    const cells = await leanCells(engine);
    await cells.print('def lemma0 : Nat := 0');
    const { status, report } = await cells.run('theorem t (p q : Prop) (hp : p) : p ∧ q :=\n  And.intro hp sorry');
    expect(status).toBe('ok');
    expect(report?.verdict).toBe('incomplete');
    expect(report?.axioms).toEqual([{ name: 't', axioms: ['sorryAx'] }]);
    expect(report?.sorries).toMatchObject([{ line: 2, column: 15, goal: expect.stringContaining('⊢ q') }]);
    const user = await cells.run('theorem u (p q : Prop) (hp : p) : q := (t p q hp).2');
    expect(user.report).toMatchObject({ verdict: 'incomplete', axioms: [{ name: 'u', axioms: ['sorryAx'] }] });
  });

  it('has only the output of its own cell, in order', async () => {
    const cells = await leanCells(engine);
    await cells.print('#eval 1');
    const { stdout, report, stdoutBytes } = await cells.run(
      '#eval IO.println "a\\nb"\n#check Nat\n#print "héllo"\n#eval 5',
    );
    expect(stdout).toMatch(/^a\nb\nNat : Type\nhéllo\n5\n$/);
    expect(stdoutBytes).toBe(Buffer.byteLength(stdout));
    expect(report?.messages.map(({ severity, line }) => [severity, line])).toEqual(
      [1, 2, 3, 4].map((line) => ['information', line]),
    );
    expect(await cells.print('#eval 9')).toBe('9\n');
  });

  it('does not count warnings and printed errors as errors', async () => {
    const cells = await leanCells(engine);
    const { status, report, stdout } = await cells.run(
      '#eval IO.println "a.lean:1:2: error: no"\ntheorem t (unused : Nat) : True := True.intro',
    );
    expect({ status, verdict: report?.verdict }).toEqual({ status: 'ok', verdict: 'accepted' });
    expect(stdout).toBe('a.lean:1:2: error: no\n');
  });

  it('arrives live while the cell runs', async () => {
    const cells = await leanCells(engine);
    const seen: string[] = [];
    const code = '#eval IO.println "first"\n#eval (do IO.sleep 500; IO.println "second" : IO Unit)';
    const { stdout } = await cells.run(code, {}, (output) => output.kind === 'stdout' && seen.push(output.text));
    expect(stdout).toBe('first\nsecond\n');
    expect(seen).toEqual(['first\n', 'second\n']);
  });

  it('is the same with CRLF line endings', async () => {
    const cells = await leanCells(engine);
    expect(await cells.print('def a : Nat := 1\r\ndef b : Nat := 2\r\n#eval a +\r\n  b\r\n')).toBe('3\n');
  });

  it.each(['-- nothing', '/- nothing -/', '#exit\ndef never : Nat := 1'])('is empty for %j', async (code) => {
    const cells = await leanCells(engine);
    await cells.print('def a : Nat := 1');
    expect(await cells.run(code)).toMatchObject({
      status: 'ok',
      stdout: '',
      report: { verdict: 'accepted', messages: [] },
    });
    expect(await cells.print('#eval a')).toBe('1\n');
  });
});

describe('a cell with errors changes nothing', () => {
  it.each([
    ['a type error', 'def x : Nat := "a"'],
    ['a good half', 'def x : Nat := 1\ndef y : Nat := "a"'],
    ['a wrong proof', 'theorem x : 1 = 2 := rfl'],
    ['an unfinished definition', 'def x :='],
    ['an unfinished proof', 'theorem x : 1 = 1 := by'],
    ['an unfinished tactic', 'theorem x (p q : Prop) (hp : p) : p ∧ q := by\n  apply And.intro\n  exact hp'],
    ['an open bracket', 'def x := ('],
    ['an open comment', '/- x'],
    ['an open string', 'def x := "a'],
    ['a doc comment of nothing', '/-- of what? -/'],
    ['an open in', 'open Nat in'],
    ['a namespace and an error', 'namespace X\ndef x : Nat := "a"'],
    ['an open section and an error', 'open Nat\nsection\ndef x := ('],
    ['a wrong end', 'def x : Nat := 1\nend X'],
    ['notation and an error', 'notation "!!" => 3\n#eval x'],
    ['an IO error', '#eval (throw (IO.userError "boom") : IO Unit)'],
    ['an attribute', '@[simp]'],
    ['a modifier', 'private'],
  ])('%s', async (_, code) => {
    const cells = await leanCells(engine);
    await cells.print('def a : Nat := 1');
    const { status, report, error } = await cells.run(code);
    expect({ status, verdict: report?.verdict, name: error?.name }).toEqual({
      status: 'error',
      verdict: 'rejected',
      name: 'LeanError',
    });
    expect(error?.message).toMatch(/^\d+:\d+: error: /);
    const lines = code.split('\n').length;
    for (const { line } of report?.messages ?? []) expect(line).toBeLessThanOrEqual(lines + 1);
    expect(await cells.print('#eval a')).toBe('1\n');
    expect((await cells.run('#check x')).report?.verdict).toBe('rejected');
    expect(await cells.print('def x : Nat := 7\n#eval x')).toBe('7\n');
  });

  it('half of a surrogate pair is rejected before Lean receives it', async () => {
    const cells = await leanCells(engine);
    expect(await cells.run('#eval "\ud83d"')).toMatchObject({ status: 'error', error: { name: 'InvalidCode' } });
    expect(await cells.print('#eval 1')).toBe('1\n');
  });
});
