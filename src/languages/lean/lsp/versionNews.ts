import type { Diagnostic, FileProgress, Position, PublishDiagnostics } from './messages.ts';
import { ProgressKind } from './messages.ts';

/** What the server has said so far of one version of a document. */
export class VersionNews {
  #diagnostics: Diagnostic[] = [];
  #published = false;
  #processing: FileProgress['processing'] = [];

  constructor(readonly version: number) {}

  /** What was published, in the order it came; grows as more comes. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Whether anything was published, even if it was that there is nothing to say. */
  get published(): boolean {
    return this.#published;
  }

  /** The parts that are not checked yet, or never will be. */
  get processing(): FileProgress['processing'] {
    return this.#processing;
  }

  /**
   * Where Lean stopped for good, or null when it went through. Once the server has answered that it is done, what it
   * still shows as being processed is not processed any more: old servers say so of a header that failed.
   */
  get stoppedAt(): Position | null {
    const fatal = this.#processing.find(({ kind }) => kind === ProgressKind.fatalError);
    return (fatal ?? this.#processing[0])?.range.start ?? null;
  }

  /** Appends when the server says so, replaces otherwise. */
  publish({ diagnostics, isIncremental }: PublishDiagnostics): void {
    if (!isIncremental) this.#diagnostics = diagnostics;
    else for (const diagnostic of diagnostics) this.#diagnostics.push(diagnostic);
    this.#published = true;
  }

  progress({ processing }: FileProgress): void {
    this.#processing = processing;
  }
}
