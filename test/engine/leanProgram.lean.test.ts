import { describe, expect, it } from 'vitest';
import type { RunOutput, RunRequest, RunResult } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';
import { type LeanCells, leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

/** Runs code with a `main` in one of the three ways. */
type Run = (code: string, rest?: Partial<RunRequest>, onOutput?: (output: RunOutput) => void) => Promise<RunResult>;

/** What a program in a session needs of the library for live output; a small library lacks it. */
const STREAMS = [
  'opaque IO.FS.Handle : Type',
  'inductive IO.FS.Mode where | read | write | writeNew | readWrite | append',
  '@[extern "lean_io_prim_handle_mk"] opaque IO.FS.Handle.mk (path : @& System.FilePath) (mode : IO.FS.Mode) : IO IO.FS.Handle',
  '@[extern "lean_io_prim_handle_flush"] opaque IO.FS.Handle.flush (handle : @& IO.FS.Handle) : IO Unit',
  '@[extern "lean_io_prim_handle_write"] opaque IO.FS.Handle.write (handle : @& IO.FS.Handle) (bytes : @& ByteArray) : IO Unit',
  '@[extern "lean_io_prim_handle_put_str"] opaque IO.FS.Handle.putStr (handle : @& IO.FS.Handle) (text : @& String) : IO Unit',
  '@[extern "lean_get_set_stdout"] opaque IO.setStdout : IO.FS.Stream → BaseIO IO.FS.Stream',
  '@[extern "lean_get_set_stderr"] opaque IO.setStderr : IO.FS.Stream → BaseIO IO.FS.Stream',
].join('\n');

async function inSession(): Promise<{ cells: LeanCells; run: Run }> {
  const cells = await leanCells(engine);
  return { cells, run: cells.run };
}

const alone: Run = (code, rest, onOutput) => engine.run({ language: 'lean', owner: OWNER, code, ...rest }, onOutput);

const WAYS: readonly (readonly [string, () => Promise<Run>])[] = [
  ['alone', async () => alone],
  ['in a session', async () => (await inSession()).run],
  [
    'in a session, evaluated',
    async () => {
      const { cells, run } = await inSession();
      if ((await cells.run('#check @IO.setStdout')).status === 'error') await cells.print(STREAMS);
      return run;
    },
  ],
];

describe.each(WAYS)('a program %s', (_, begin) => {
  let run: Run;
  const stdoutOf = async (code: string) => (await run(code)).stdout;

  it('writes each line at once, without a flush of its own', async () => {
    run = await begin();
    const seen: [string, number][] = [];
    const code = `def main : IO Unit := do
  IO.println "first"
  IO.print "sec"
  IO.sleep 400
  IO.println "ond"
  IO.sleep 400`;
    const { status, stdout } = await run(code, {}, (output) => {
      if (output.kind === 'stdout') seen.push([output.text, performance.now()]);
    });
    expect({ status, stdout }).toEqual({ status: 'ok', stdout: 'first\nsecond\n' });
    const [begun = 0, ended = 0] = [seen[0]?.[1], performance.now()];
    expect(seen[0]?.[0]).toMatch(/^first\n/);
    expect(ended - begun).toBeGreaterThan(600);
  });

  it('keeps the output from before its timeout', async () => {
    run = await begin();
    const code = `partial def loop : IO Unit := loop
def main : IO Unit := do
  IO.println "a line"
  IO.print "no line"
  loop`;
    const { status, stdout, stdoutBytes, truncated } = await run(code, { timeoutSeconds: 5 });
    expect({ status, stdout, stdoutBytes, truncated }).toEqual({
      ...{ status: 'timeout', stdout: 'a line\nno line', stdoutBytes: 14, truncated: false },
    });
  });

  it('writes every byte unchanged', async () => {
    run = await begin();
    const code = `partial def long (n : Nat) (text : String) : String := if n == 0 then text else long (n - 1) (text ++ text)
def main : IO Unit := do
  IO.print "\\x00\\r\\n\\t\\x1b[1m\\x7f é😀\\n"
  IO.println (long 17 "∀\\x00")
  IO.print "\\r"`;
    const { status, stdout } = await run(code);
    expect(status).toBe('ok');
    expect(stdout === `\0\r\n\t\x1b[1m\x7f é😀\n${'∀\0'.repeat(1 << 17)}\n\r`).toBe(true);
  });

  it('writes to stdout and stderr as it chooses', async () => {
    run = await begin();
    const code = 'def main : IO Unit := do\n  IO.println "out"\n  IO.eprintln "err"\n  IO.println "out"';
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'out\nout\n', stderr: 'err\n' });
  });

  it('has its output cut and counted', async () => {
    run = await begin();
    const code = `def main : IO Unit := do
  for _ in [0:3000] do
    IO.println "${'0123456789'.repeat(100)}"`;
    const { status, stdout, stdoutBytes, truncated } = await run(code, { timeoutSeconds: 60 });
    expect({ status, stdoutBytes, truncated }).toEqual({ status: 'ok', stdoutBytes: 3000 * 1001, truncated: true });
    expect(stdout.length).toBe(1024 * 1024);
  });

  it('decides its exit status', async () => {
    run = await begin();
    expect(await run('def main : IO UInt32 := do\n  IO.print "x"\n  return 3')).toMatchObject({
      ...{ status: 'error', exitCode: 3, stdout: 'x', error: { name: 'ExitStatus' } },
    });
    expect(await stdoutOf('def main : IO Unit := IO.println "next"')).toBe('next\n');
  });
});

it('a program in a session runs in the worker that has its cells, if the library allows it', async () => {
  const { cells, run } = await inSession();
  if ((await cells.run('#check @IO.setStdout')).status === 'error') await cells.print(STREAMS);
  const { stdout } = await run('def main : IO Unit := do IO.print (← IO.FS.readFile "/proc/self/cmdline")');
  expect(stdout.split('\0')).toContain('--worker');
});

describe('a program in a process of its own', () => {
  it('reads stdin to its end', async () => {
    const code = `partial def lines (n : Nat) : IO Nat := do
  let line ← (← IO.getStdin).getLine
  if line == "" then pure n else lines (n + 1)
def main : IO Unit := do IO.println (toString (← lines 0))`;
    const stdin = `${'x'.repeat(200)}\n`.repeat(5_000);
    expect(await alone(code, { stdin })).toMatchObject({ status: 'ok', stdout: '5000\n' });
    expect(await alone(code)).toMatchObject({ status: 'ok', stdout: '0\n' });
    const { run } = await inSession();
    expect(await run(code, { stdin })).toMatchObject({ status: 'ok', stdout: '5000\n' });
  });

  it('is reported with the signal that ended it', async () => {
    const kill =
      '(do let _ ← IO.Process.output { cmd := "sh", args := #["-c", "kill -TERM $PPID"] }; pure () : IO Unit)';
    const code = `def main : IO Unit := do\n  IO.println "before"\n  ${kill}\n  IO.sleep 5000`;
    expect(await alone(code)).toMatchObject({
      ...{ status: 'error', exitCode: null, stdout: 'before\n', error: { name: 'SIGTERM' } },
    });
  });

  it('has the full output limit whatever its text prints while it is checked', async () => {
    const code = `${'#eval String.join (List.replicate 60000 "0123456789")\n'.repeat(3)}def main : IO Unit := IO.println "mine"`;
    expect(await alone(code)).toMatchObject({ status: 'ok', stdout: 'mine\n', stdoutBytes: 5, truncated: true });
  });

  it('ends its text at #exit, as its check does', async () => {
    const code = 'def main : IO Unit := IO.println "ran"\n#exit\n-- nothing';
    expect(await alone(code)).toMatchObject({ status: 'ok', stdout: 'ran\n', report: { verdict: 'accepted' } });
  });
});
