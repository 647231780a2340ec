import { severityOf } from '../check/diagnostics.ts';
import type { Diagnostic } from '../lsp/messages.ts';

/** The result of a program that Lean evaluated in the document. */
export interface Evaluated {
  readonly stdout: string;
  /** The exception that it threw, or null. */
  readonly exception: string | null;
  readonly exitCode: number;
}

const STATUS = { returned: 'returned', threw: 'threw' } as const;

/** Paths of the pipes that a program writes to while it runs. */
export interface Pipes {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Commands that evaluate the document's `main`, without arguments and with an empty stdin, and print `mark` when it ends.
 * Its output goes to the pipes at once; without pipes it precedes the mark.
 */
export function evaluation(mark: string, pipes: Pipes | null): string {
  return `class Hothouse.Program (α : Type) where exitCode : α → IO UInt32
instance : Hothouse.Program (IO Unit) := ⟨fun main => main >>= fun _ => pure 0⟩
instance : Hothouse.Program (IO UInt32) := ⟨fun main => main⟩
instance : Hothouse.Program (List String → IO Unit) := ⟨fun main => main [] >>= fun _ => pure 0⟩
instance : Hothouse.Program (List String → IO UInt32) := ⟨fun main => main []⟩
def Hothouse.exitOf {α : Type} [Hothouse.Program α] (main : α) : IO String := do
  try
    let code ← Hothouse.Program.exitCode main
    pure ("${mark} ${STATUS.returned} " ++ toString code)
  catch error => pure ("${mark} ${STATUS.threw} " ++ toString error)
${pipes ? runInto(pipes) : RUN}#eval Hothouse.run _root_.main
`;
}

const RUN = `def Hothouse.run {α : Type} [Hothouse.Program α] (main : α) : IO Unit := do
  let exit ← Hothouse.exitOf main
  IO.print exit
`;

function runInto({ stdout, stderr }: Pipes): string {
  return `def Hothouse.pipe (path : String) (stream : IO.FS.Stream) : IO IO.FS.Stream := do
  let pipe ← IO.FS.Handle.mk path IO.FS.Mode.append
  pure { stream with
    flush := pipe.flush
    write := fun bytes => do pipe.write bytes; pipe.flush
    putStr := fun text => do pipe.putStr text; pipe.flush }
def Hothouse.run {α : Type} [Hothouse.Program α] (main : α) : IO Unit := do
  let stdout ← IO.getStdout
  let stderr ← IO.getStderr
  let outPipe ← Hothouse.pipe "${stdout}" stdout
  let errPipe ← Hothouse.pipe "${stderr}" stderr
  let _ ← IO.setStdout outPipe
  let _ ← IO.setStderr errPipe
  let exit ← Hothouse.exitOf main
  let _ ← IO.setStdout stdout
  let _ ← IO.setStderr stderr
  IO.print exit
`;
}

/** The program's result from the diagnostics at line `first` and later; null when it could not be evaluated. */
export function evaluated(diagnostics: readonly Diagnostic[], first: number, mark: string): Evaluated | null {
  for (const diagnostic of diagnostics) {
    if (diagnostic.range.start.line < first || severityOf(diagnostic) !== 'information') continue;
    const [stdout, status] = diagnostic.message.split(`${mark} `);
    if (stdout !== undefined && status !== undefined) return withStatus(stdout, status.trimEnd());
  }
  return null;
}

function withStatus(stdout: string, status: string): Evaluated {
  const [word = '', ...rest] = status.split(' ');
  const value = rest.join(' ');
  if (word === STATUS.threw) return { stdout, exception: value, exitCode: 1 };
  // A process's exit status is one byte.
  return { stdout, exception: null, exitCode: Number(value) & 0xff };
}
