import type { LeanDocument, NoAnswer, Settled, SettledVersion } from '../lsp/document.ts';
import type { LeanWorker } from '../worker/worker.ts';

/** Lean's document of a session, as segments one behind the other; each ends with a line feed, but for the last. */
export class SessionDocument {
  readonly worker: LeanWorker;
  readonly lean: LeanDocument;
  #segments: readonly string[];

  /** A document of this worker that has these segments, the first of which is the worker's header. */
  constructor(worker: LeanWorker, segments: readonly string[]) {
    this.worker = worker;
    this.lean = worker.take(worker.header, segments.slice(1).join('')).document;
    this.#segments = [...segments];
  }

  /**
   * Makes the document these segments by one edit, and Lean keeps what it knows of those that stay as they were. With
   * another header it begins anew.
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

  /** Whether the document has these segments, with more behind them or not. */
  beginsWith(segments: readonly string[]): boolean {
    return this.#sameUpTo(segments) === segments.length;
  }

  /** Starts Lean's worker of the document anew, on these segments. */
  reopen(segments: readonly string[]): void {
    this.#segments = [...segments];
    this.lean.reopen(segments.join(''));
  }

  /** The UTF-16 offset at which a segment begins. */
  startOf(index: number): number {
    return this.#segments.slice(0, index).reduce((sum, { length }) => sum + length, 0);
  }

  /** The line, from 0, at which a segment begins. */
  lineOf(index: number): number {
    return this.lean.table.positionAt(this.startOf(index)).line;
  }

  /** As of the document; a server that forgot the text it has checked before counts as lost. */
  async settled(signal?: AbortSignal): Promise<SettledVersion | NoAnswer> {
    const settled: Settled = await this.lean.settled(signal);
    if (settled.kind !== 'unchecked') return settled;
    return { kind: 'lost', reason: 'the server says nothing of the session' };
  }

  /** How many segments are the same from the first on. */
  #sameUpTo(segments: readonly string[]): number {
    const different = segments.findIndex((segment, index) => segment !== this.#segments[index]);
    return different < 0 ? segments.length : different;
  }
}
