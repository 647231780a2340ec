import type { LeanDocument, NoAnswer, SettledVersion } from '../lsp/document.ts';
import type { LeanWorker } from '../worker/worker.ts';

/** The document of a worker, as consecutive segments; each ends with a line feed, except perhaps the last. */
export class SegmentedDocument {
  readonly worker: LeanWorker;
  readonly lean: LeanDocument;
  #segments: readonly string[];

  /** `lean` holds these segments already. */
  constructor(worker: LeanWorker, lean: LeanDocument, segments: readonly string[]) {
    this.worker = worker;
    this.lean = lean;
    this.#segments = [...segments];
  }

  /**
   * Replaces the segments by one edit; Lean keeps its results for the leading ones that stay the same. A different header
   * restarts Lean's process for the document.
   */
  become(segments: readonly string[]): void {
    const same = this.#sameUpTo(segments);
    if (same === segments.length && same === this.#segments.length) return;
    if (same === 0) {
      this.reopen(segments);
      return;
    }
    const start = this.startOf(same);
    this.#segments = [...segments];
    this.lean.replaceFrom(start, segments.slice(same).join(''));
  }

  /** Whether the document starts with these segments. */
  beginsWith(segments: readonly string[]): boolean {
    return this.#sameUpTo(segments) === segments.length;
  }

  /** Restarts Lean's process for the document, with these segments. */
  reopen(segments: readonly string[]): void {
    this.#segments = [...segments];
    this.lean.reopen(segments.join(''));
  }

  /** The UTF-16 offset at which a segment starts. */
  startOf(index: number): number {
    return this.#segments.slice(0, index).reduce((sum, { length }) => sum + length, 0);
  }

  /** The line, from 0, at which a segment starts. */
  lineOf(index: number): number {
    return this.lean.table.positionAt(this.startOf(index)).line;
  }

  /** Waits for all diagnostics; a server that publishes none has lost text that it had checked before. */
  async settled(signal?: AbortSignal): Promise<SettledVersion | NoAnswer> {
    const settled = await this.lean.settled(signal);
    return settled.kind === 'unchecked' ? NOTHING_PUBLISHED : settled;
  }

  /** How many leading segments are the same. */
  #sameUpTo(segments: readonly string[]): number {
    const different = segments.findIndex((segment, index) => segment !== this.#segments[index]);
    return different < 0 ? segments.length : different;
  }
}

/** How a check or a wait ends when the server publishes nothing about text that it has accepted before. */
export const NOTHING_PUBLISHED: NoAnswer = { kind: 'lost', reason: 'the server says nothing of the session' };
