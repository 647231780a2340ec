import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import type { RunOutput, RunRequest } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';

const engine = fileFixture(() => leanEngine());

const run = (code: string, rest: Partial<RunRequest> = {}, onOutput?: (output: RunOutput) => void) =>
  engine.run({ language: 'lean', owner: OWNER, code, ...rest }, onOutput);
const verdict = async (code: string) => (await run(code)).report?.verdict;

describe('a check', () => {
  it('accepts a proof and lists its axioms', async () => {
    const { status, report, error } = await run('theorem t : 1 + 1 = 2 := rfl\ndef d : Nat := 3');
    expect({ status, error }).toEqual({ status: 'ok', error: null });
    expect(report).toMatchObject({ verdict: 'accepted', messages: [], sorries: [] });
    expect(report?.axioms).toEqual([
      { name: 't', axioms: [] },
      { name: 'd', axioms: [] },
    ]);
  });

  it('uses as many threads as its sandbox has CPUs, however many the host has', async () => {
    const words = `IO.Process.output { cmd := "sh", args := #["-c", "tr '\\\\0' ' ' </proc/$PPID/cmdline"] }`;
    const { stdout } = await run(`#eval (do IO.println (← ${words}).stdout : IO Unit)`);
    expect(stdout.split(' ')).toContain(`-j${DEFAULT_OPTIONS.lean.cpus}`);
  });

  it('rejects an error, at its position in the caller’s code', async () => {
    const { status, report, error } = await run('-- é😀\n\n/- two\nlines -/ theorem t : 1 = 2 := rfl');
    expect(status).toBe('error');
    expect(report).toMatchObject({ verdict: 'rejected', axioms: null });
    expect(report?.messages[0]).toMatchObject({ severity: 'error', line: 4 });
    expect(error).toMatchObject({ name: 'LeanError', message: expect.stringMatching(/^4:\d+: error: /) });
  });

  it.each([
    ['a theorem', 'theorem t : 1 = 2 := sorry'],
    ['an example', 'example : 1 = 2 := sorry'],
    ['a definition', 'def d : Nat := sorry'],
    ['a lemma of it', 'theorem t : 1 = 2 := sorry\ntheorem u : 2 = 1 := t.symm'],
    ['the axiom itself', 'theorem t : 1 = 2 := sorryAx _'],
    ['what stands behind #exit', '#exit\ntheorem t : 1 = 2 := rfl'],
    ['a namespace', 'namespace A\ntheorem t : 1 = 2 := sorry\nend A'],
  ])('returns verdict incomplete for sorry: %s', async (_, code) => {
    expect(await verdict(code)).toMatch(/^(incomplete|rejected)$/);
  });

  it('lists sorryAx among the axioms, and returns the goal of each sorry', async () => {
    const { report } = await run(
      'namespace A\ntheorem t (p q : Prop) (hp : p) : p ∧ q :=\n  And.intro hp sorry\nend A',
    );
    expect(report?.verdict).toBe('incomplete');
    expect(report?.axioms).toEqual([{ name: 'A.t', axioms: ['sorryAx'] }]);
    expect(report?.sorries).toMatchObject([{ line: 3, column: 15, goal: expect.stringContaining('⊢ q') }]);
  });

  it.each([
    ['a printed error', '#eval IO.println "error: no"\n#print "a.lean:1:2: error: x"\ntheorem t : True := True.intro'],
    ['a warning', 'theorem t (unused : Nat) : True := True.intro'],
    ['a comment', '-- error: sorry\n/- sorry -/ theorem t : True := True.intro'],
    ['a string', 'def s : String := "sorry"'],
  ])('is not misled by %s', async (_, code) => {
    expect(await verdict(code)).toBe('accepted');
  });

  it.each([
    ['an unfinished term', 'theorem t : 1 = 1 :='],
    ['an unfinished `in`', 'theorem t : 1 = 1 := rfl\nset_option pp.all true in'],
    ['an unfinished comment', 'theorem t : 1 = 1 := rfl\n/- never'],
    ['an open end', 'theorem t : 1 = 1 := rfl\nend A'],
    ['a doc comment of nothing', 'theorem t : 1 = 1 := rfl\n/-- of what? -/'],
  ])('rejects %s', async (_, code) => {
    const { report } = await run(code);
    expect(report?.verdict).toBe('rejected');
    expect(report?.messages.filter(({ severity }) => severity === 'error')).not.toEqual([]);
    expect(await verdict('theorem t : 1 = 1 := rfl')).toBe('accepted');
  });

  it('returns the output of #eval and #check', async () => {
    const { stdout, report } = await run('def f (n : Nat) := n + 1\n#eval f 41\n#eval IO.println "a\\nb"\n#check f');
    expect(stdout).toMatch(/^42\na\nb\nf.*Nat.*\n$/);
    expect(report?.messages.map(({ severity, line }) => [severity, line])).toEqual([
      ['information', 2],
      ['information', 3],
      ['information', 4],
    ]);
  });

  it('names an import that does not exist, and continues', async () => {
    const { status, report, durationMs } = await run('import Nope.Missing\n#eval 1');
    expect(status).toBe('error');
    expect(report?.messages.map(({ text }) => text).join()).toContain('Nope');
    expect(durationMs).toBeLessThan(20_000);
    expect(await verdict('theorem t : 1 = 1 := rfl')).toBe('accepted');
  });

  it('ends with verdict timeout at its limit, and the next check works', async () => {
    const endless = 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0';
    expect(await run(endless, { timeoutSeconds: 1 })).toMatchObject({ status: 'timeout', report: null });
    expect(await verdict('theorem t : 1 = 1 := rfl')).toBe('accepted');
  });

  it('survives a crash of Lean', async () => {
    const deep = 'partial def f (n : Nat) : Nat := 1 + f (n + 1)\n#eval f 0';
    const { status, error } = await run(deep, { timeoutSeconds: 60 });
    expect(status).toMatch(/^(error|out_of_memory)$/);
    expect(error?.name).toMatch(/^(LeanCrashed|OutOfMemory|LeanError)$/);
    expect(await verdict('theorem t : 1 = 1 := rfl')).toBe('accepted');
  });

  it('sees nothing of an earlier check', async () => {
    await run('def secret : Nat := 7\nopen Nat\nnotation "!!" => 3');
    expect(await verdict('#eval secret')).toBe('rejected');
    expect(await verdict('#eval !!')).toBe('rejected');
    expect(await verdict('def secret : Nat := 8')).toBe('accepted');
  });

  it('elaborates a header once and then keeps a worker warm for it', async () => {
    const code = 'import Lean\nopen Lean\n#check Expr';
    expect(await verdict(code)).toBe('accepted');
    const headers = () => engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes.map((s) => s.poolKey));
    await expect.poll(headers, { timeout: 60_000 }).toContain('import Lean\n');
    expect(await verdict(code)).toBe('accepted');
    expect((await run('#check Lean.Expr')).report?.verdict).toBe('rejected');
  });
});

describe('a program', () => {
  it('prints its output', async () => {
    const code =
      'def hello (name : String) : String := s!"Hello, {name}"\ndef main : IO Unit := IO.println (hello "Lean4!")';
    expect(await run(code)).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'Hello, Lean4!\n', error: null });
  });

  it('reads stdin, writes stderr and has an exit status', async () => {
    const code = `def main : IO UInt32 := do
  let line ← (← IO.getStdin).getLine
  IO.print s!"got {line}"
  IO.eprintln "aside"
  return 3`;
    const result = await run(code, { stdin: 'this\n' });
    expect(result).toMatchObject({ status: 'error', exitCode: 3, stdout: 'got this\n', stderr: 'aside\n' });
    expect(result.report?.verdict).toBe('accepted');
  });

  it("prints live, without Lean's messages about its text", async () => {
    const code = `#eval 1 + 1
def main : IO Unit := do
  IO.println "first"
  (← IO.getStdout).flush
  IO.sleep 300
  IO.println "second"`;
    const seen: string[] = [];
    const { stdout } = await run(code, {}, (output) => output.kind === 'stdout' && seen.push(output.text));
    expect(stdout).toBe('first\nsecond\n');
    expect(seen).toEqual(['first\n', 'second\n']);
  });

  it('is not run when its text has an error', async () => {
    const { status, stdout } = await run('def main : IO Unit := IO.println "x"\ntheorem t : 1 = 2 := rfl');
    expect({ status, stdout }).toEqual({ status: 'error', stdout: '' });
  });

  it('is ended at its time limit', async () => {
    const code = 'partial def loop : IO Unit := do loop\ndef main : IO Unit := loop';
    expect(await run(code, { timeoutSeconds: 2 })).toMatchObject({ status: 'timeout' });
  });
});
