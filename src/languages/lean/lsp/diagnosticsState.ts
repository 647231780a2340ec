import type { Diagnostic, Position, PublishDiagnostics } from './messages.ts';

/** What the server has published so far about one version of a document. */
export class DiagnosticsState {
  #diagnostics: Diagnostic[] = [];
  #bytes = 0;
  #isPublished = false;
  #stoppedAt: Position | null = null;

  constructor(readonly version: number) {}

  /** The published diagnostics in order of arrival; the list grows as more arrive. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** The size of the diagnostics on the wire, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the server has published anything, even an empty list. */
  get isPublished(): boolean {
    return this.#isPublished;
  }

  /**
   * Where Lean stopped for good, or null when it processed the whole text. Once the server has answered that it is done,
   * a part that it still lists as in progress will never be processed: old servers report a failed header this way.
   */
  get stoppedAt(): Position | null {
    return this.#stoppedAt;
  }

  /** Adds an incremental publication; any other replaces what is there. */
  publish({ diagnostics, isIncremental }: PublishDiagnostics, bytes: number): void {
    if (!isIncremental) this.#diagnostics = [...diagnostics];
    else for (const diagnostic of diagnostics) this.#diagnostics.push(diagnostic);
    this.#bytes = isIncremental ? this.#bytes + bytes : bytes;
    this.#isPublished = true;
  }

  setProgress(stoppedAt: Position | null): void {
    this.#stoppedAt = stoppedAt;
  }
}
