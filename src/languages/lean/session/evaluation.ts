import type { Diagnostic } from '../lsp/messages.ts';
import { severityOf } from '../verdict/report.ts';

/** A program that was evaluated in the document. */
export interface Evaluated {
  readonly stdout: string;
  /** What it threw, or null. */
  readonly exception: string | null;
  readonly exitCode: number;
}

const STATUS = { returned: 'returned', threw: 'threw' } as const;

/** Commands that evaluate the document's `main`, without arguments and with an empty stdin, and print `mark` when it ends. */
export function evaluation(mark: string): string {
  return `class Hothouse.Program (α : Type) where exitCode : α → IO UInt32
instance : Hothouse.Program (IO Unit) := ⟨fun main => main >>= fun _ => pure 0⟩
instance : Hothouse.Program (IO UInt32) := ⟨fun main => main⟩
instance : Hothouse.Program (List String → IO Unit) := ⟨fun main => main [] >>= fun _ => pure 0⟩
instance : Hothouse.Program (List String → IO UInt32) := ⟨fun main => main []⟩
def Hothouse.run {α : Type} [Hothouse.Program α] (main : α) : IO Unit := do
  try
    let code ← Hothouse.Program.exitCode main
    IO.print ("${mark} ${STATUS.returned} " ++ toString code)
  catch error => IO.print ("${mark} ${STATUS.threw} " ++ toString error)
#eval Hothouse.run _root_.main
`;
}

/** What the lines from `first` on say of the program; null where they could not be evaluated. */
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
  // A process has a byte for its exit status.
  return { stdout, exception: null, exitCode: Number(value) & 0xff };
}
