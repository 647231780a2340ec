import type { CellOutput } from '../../language.ts';
import { severityOf } from '../check/diagnostics.ts';
import type { Publication } from '../lsp/document.ts';
import type { Diagnostic } from '../lsp/messages.ts';

/** The lines of a cell in the document, from `first` up to but not including `end`. */
export interface Lines {
  readonly first: number;
  readonly end: number;
}

/** Passes on what a cell prints as Lean reports it. Lean may report the same text repeatedly; it is passed on once. */
export class PrintStream {
  readonly #onOutput: (output: CellOutput) => void;
  readonly #lines: Lines;
  /** How often each text was passed on, by position. */
  readonly #shown = new Counts();
  /** How often Lean reported each text since it last replaced its diagnostics. */
  #reported = new Counts();
  #version = 0;

  constructor(lines: Lines, onOutput: (output: CellOutput) => void) {
    this.#lines = lines;
    this.#onOutput = onOutput;
  }

  take({ version, diagnostics, isIncremental }: Publication): void {
    if (!isIncremental || version !== this.#version) this.#reported = new Counts();
    this.#version = version;
    for (const diagnostic of diagnostics) if (this.#isPrint(diagnostic)) this.#report(diagnostic);
  }

  #isPrint(diagnostic: Diagnostic): boolean {
    const { line } = diagnostic.range.start;
    const isOwn = this.#lines.first <= line && line < this.#lines.end;
    return isOwn && !diagnostic.isSilent && severityOf(diagnostic) === 'information';
  }

  #report({ message, range: { start } }: Diagnostic): void {
    const place = `${start.line}:${start.character}`;
    if (this.#reported.add(place, message) <= this.#shown.of(place, message)) return;
    this.#shown.add(place, message);
    if (message !== '') this.#onOutput({ kind: 'stdout', text: message.endsWith('\n') ? message : `${message}\n` });
  }
}

/** Counts texts by position; a text may be large and is never copied. */
class Counts {
  readonly #counts = new Map<string, Map<string, number>>();

  of(place: string, text: string): number {
    return this.#counts.get(place)?.get(text) ?? 0;
  }

  add(place: string, text: string): number {
    const texts = this.#counts.get(place) ?? new Map<string, number>();
    const count = (texts.get(text) ?? 0) + 1;
    this.#counts.set(place, texts.set(text, count));
    return count;
  }
}
