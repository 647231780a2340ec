import type { Diagnostic, Position, PublishDiagnostics } from './messages.ts';

/** What the server has said so far of one version of a document. */
export class VersionNews {
  #diagnostics: Diagnostic[] = [];
  #bytes = 0;
  #isPublished = false;
  #stoppedAt: Position | null = null;

  constructor(readonly version: number) {}

  /** What was published, in the order it came; grows as more comes. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** What the diagnostics took on their way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether anything was published, even if it was that there is nothing to say. */
  get isPublished(): boolean {
    return this.#isPublished;
  }

  /**
   * Where Lean stopped for good, or null when it went through. Once the server has answered that it is done, what it
   * still shows as being processed is not processed any more: old servers say so of a header that failed.
   */
  get stoppedAt(): Position | null {
    return this.#stoppedAt;
  }

  /** Appends when the server says so, replaces otherwise. */
  publish({ diagnostics, isIncremental }: PublishDiagnostics, bytes: number): void {
    if (!isIncremental) this.#diagnostics = [...diagnostics];
    else for (const diagnostic of diagnostics) this.#diagnostics.push(diagnostic);
    this.#bytes = isIncremental ? this.#bytes + bytes : bytes;
    this.#isPublished = true;
  }

  progress(stoppedAt: Position | null): void {
    this.#stoppedAt = stoppedAt;
  }
}
