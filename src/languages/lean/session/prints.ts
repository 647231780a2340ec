import type { CellOutput } from '../../language.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import { severityOf } from '../verdict/report.ts';

/** Passes on what a cell prints as Lean tells of it, which it may do again and again: everything once. */
export class Prints {
  readonly #onOutput: (output: CellOutput) => void;
  /** How often each text was passed on, by its place. */
  readonly #shown = new Map<string, number>();

  constructor(onOutput: (output: CellOutput) => void) {
    this.#onOutput = onOutput;
  }

  /** Takes all that Lean has said of the document so far; the cell has the lines from `first` on and before `end`. */
  take(diagnostics: readonly Diagnostic[], first: number, end: number): void {
    const seen = new Map<string, number>();
    for (const diagnostic of lastFrom(diagnostics, first)) {
      if (diagnostic.range.start.line >= end || diagnostic.isSilent || severityOf(diagnostic) !== 'information')
        continue;
      const { message, range } = diagnostic;
      const key = `${range.start.line}:${range.start.character}:${message}`;
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count > (this.#shown.get(key) ?? 0)) this.#show(key, count, message);
    }
  }

  #show(key: string, count: number, message: string): void {
    this.#shown.set(key, count);
    if (message !== '') this.#onOutput({ kind: 'stdout', text: message.endsWith('\n') ? message : `${message}\n` });
  }
}

/** Those at the list's end that are not before the line; a session has many others, and they come first. */
function lastFrom(diagnostics: readonly Diagnostic[], line: number): Diagnostic[] {
  let start = diagnostics.length;
  while (start > 0 && (diagnostics[start - 1]?.range.start.line ?? 0) >= line) start -= 1;
  return diagnostics.slice(start);
}
