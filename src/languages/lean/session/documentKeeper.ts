import type { Clock } from '../../../base/clock.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellEnd } from '../../language.ts';
import type { SegmentedDocument } from '../check/segmentedDocument.ts';
import { lostEnd } from '../ends.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { type SessionText, segmentsOf } from './cells.ts';
import { AbandonedWork, waitUntilIdle } from './cpuActivity.ts';
import { documentOf, type Restored, reopen, restart } from './restore.ts';

/** The document holds the accepted text and has no user. */
interface Ready {
  readonly kind: 'ready';
  readonly document: SegmentedDocument;
}

/** A cell or a question has the document and may change it. */
export interface Held {
  readonly kind: 'cell' | 'question';
  readonly document: SegmentedDocument;
  /** Aborted when the document is taken away; the holder then no longer touches it. */
  readonly stop: AbortController;
}

type State =
  | Ready
  | Held
  /** Lean starts, or returns to the accepted text; `over` resolves when that has ended. */
  | { readonly kind: 'restoring'; readonly over: Promise<void> }
  /** Lean could not be restored while the session was unused; the next cell tries again. */
  | { readonly kind: 'down'; readonly worker: LeanWorker }
  | { readonly kind: 'dead'; readonly end: CellEnd };

export interface DocumentKeeperDeps {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Returns the text that the session has accepted. */
  readonly text: () => SessionText;
  /** Called once, with the end of the session, which also ends a running cell. */
  readonly onDead: (end: CellEnd) => void;
}

/** The time for Lean to notice that text was removed from its document. */
const SETTLE_MS = 3_000;

/**
 * Keeps the document of a session: lends it to one cell or question at a time, and restores the accepted text when Lean ends
 * or does not stop. Only the effects of a cell on Lean can end the session.
 */
export class DocumentKeeper {
  readonly #deps: DocumentKeeperDeps;
  readonly #life = new AbortController();
  readonly #abandoned: AbandonedWork;
  #state: State;

  /** `worker` has the session's header and no other user; null starts one. */
  constructor(deps: DocumentKeeperDeps, worker: LeanWorker | null) {
    this.#deps = deps;
    this.#abandoned = new AbandonedWork(deps.sandbox, deps.clock, this.#life.signal);
    this.#state = worker
      ? this.#watched(documentOf(worker, deps.text()))
      : { kind: 'restoring', over: this.#finishRestoring(restart(this.#restoring, null, deps.text()), null) };
  }

  /** The session's end; null while it lives. */
  get end(): CellEnd | null {
    return this.#state.kind === 'dead' ? this.#state.end : null;
  }

  /** Aborts when the session ends. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Whether a question may still end Lean while the next holder has the document. */
  get isSuspect(): boolean {
    return this.#state.kind === 'question' || this.#abandoned.isPossible;
  }

  /** Lends the document to a cell as soon as Lean is ready; stops a question. Null when the session has ended. */
  async lendToCell(): Promise<Held | null> {
    for (;;) {
      const state: State = this.#state;
      if (state.kind === 'dead') return null;
      if ('document' in state) return this.#lend('cell', state);
      if (state.kind === 'down') await this.#restore(restart(this.#restoring, state.worker, this.#text), 'cell');
      else await state.over;
    }
  }

  /** Lends the document to a question; stops an earlier question. Null when the document is not available at once. */
  lendToQuestion(): Held | null {
    const state = this.#state;
    return state.kind === 'ready' || state.kind === 'question' ? this.#lend('question', state) : null;
  }

  /** Takes the document back; it holds the accepted text. */
  giveBack(held: Held): void {
    if (!this.#has(held)) return;
    this.#state = { kind: 'ready', document: held.document };
    this.#watchAbandonedWork(held.document);
  }

  /** Takes the document back from a cell that did not use it. */
  giveBackUnused(held: Held): void {
    if (this.#has(held)) held.document.become(segmentsOf(this.#text));
    this.giveBack(held);
  }

  /** Takes the document away from a cell, and makes sure that Lean has really stopped. */
  takeFromCell(): void {
    if (this.#state.kind !== 'cell') return;
    const { document, stop } = this.#state;
    stop.abort();
    void this.#restore(this.#idleAgain(document), 'cell');
  }

  /** Stops a question that has the document. */
  stopQuestion(): void {
    if (this.#state.kind === 'question') this.#state.stop.abort();
  }

  /** Takes the document back from a question and removes the draft. */
  endQuestion(held: Held): void {
    const { document, stop } = held;
    if (stop.signal.aborted) this.#abandoned.expect();
    if (!this.#has(held)) return;
    this.#state = { kind: 'ready', document };
    if (document.worker.server.isLost) this.replace(document);
    else if (document.lean.crashed) void this.#restore(reopen(this.#restoring, document, this.#text), 'other');
    else if (stop.signal.aborted) void this.#restore(this.#settled(document), 'other');
    else document.become(segmentsOf(this.#text));
  }

  /** Reopens the document, or restarts the server when it is lost. `cause` is what ended Lean. */
  async restoreAfter(held: Held, isLost: boolean, cause: 'cell' | 'other'): Promise<void> {
    if (!this.#has(held)) return;
    const { document } = held;
    const restored = isLost
      ? restart(this.#restoring, document.worker, this.#text)
      : reopen(this.#restoring, document, this.#text);
    await this.#restore(restored, cause);
  }

  /** Replaces the document's server while the document has no user. */
  replace(document: SegmentedDocument): void {
    if (!this.#isReady(document)) return;
    void this.#restore(restart(this.#restoring, document.worker, this.#text), 'other');
  }

  /** Ends the session; its first end counts. */
  die(end: CellEnd): void {
    if (this.#state.kind === 'dead') return;
    const document = 'document' in this.#state ? this.#state.document : null;
    this.#state = { kind: 'dead', end };
    this.#life.abort();
    this.#deps.onDead(end);
    document?.worker.server.kill();
  }

  #lend(kind: Held['kind'], state: Ready | Held): Held {
    if ('stop' in state) state.stop.abort();
    const held: Held = { kind, document: state.document, stop: new AbortController() };
    this.#state = held;
    return held;
  }

  /** The ready state for a new document or server; a server that ends while no cell uses it is replaced. */
  #watched(document: SegmentedDocument): Ready {
    void document.worker.server.lost.then(() => {
      if (this.#state.kind === 'question' && this.#state.document === document) this.endQuestion(this.#state);
      this.replace(document);
    });
    return { kind: 'ready', document };
  }

  /** Ends the session when Lean cannot be restored after a cell. */
  #restore(restored: Promise<Restored>, cause: 'cell' | 'other'): Promise<void> {
    const worker = 'document' in this.#state ? this.#state.document.worker : null;
    const over = this.#finishRestoring(restored, cause === 'other' ? worker : null);
    this.#state = { kind: 'restoring', over };
    return over;
  }

  /** On failure the session is `down` with that worker, or dead without one. Never rejects. */
  async #finishRestoring(restoring: Promise<Restored>, worker: LeanWorker | null): Promise<void> {
    const restored = await restoring.catch((error: unknown): Restored => ({ kind: 'failed', reason: String(error) }));
    if (this.#state.kind === 'dead') {
      if (restored.kind === 'restored') restored.document.worker.server.kill();
    } else if (restored.kind === 'restored') {
      this.#state = this.#watched(restored.document);
      this.#watchAbandonedWork(restored.document);
    } else if (worker) this.#state = { kind: 'down', worker };
    else this.die(lostEnd(restored.reason));
  }

  async #idleAgain(document: SegmentedDocument): Promise<Restored> {
    const { sandbox, clock } = this.#deps;
    const settled = await this.#settled(document);
    const isSame = settled.kind === 'restored' && settled.document === document;
    if (!isSame || (await waitUntilIdle(sandbox, clock, this.signal))) return settled;
    return restart(this.#restoring, document.worker, this.#text);
  }

  /** Restores the accepted text at once, unless abandoned work keeps Lean fully busy. */
  async #settled(document: SegmentedDocument): Promise<Restored> {
    document.become(segmentsOf(this.#text));
    const settled = await document.settled(AbortSignal.any([this.signal, AbortSignal.timeout(SETTLE_MS)]));
    if (settled.kind === 'crashed') return reopen(this.#restoring, document, this.#text);
    if (settled.kind === 'settled') return { kind: 'restored', document };
    return restart(this.#restoring, document.worker, this.#text);
  }

  /** Watches the work that an earlier question left, while the session stays usable. */
  #watchAbandonedWork(document: SegmentedDocument): void {
    void this.#abandoned.watch(
      () => this.#isReady(document),
      () => this.replace(document),
    );
  }

  /** Whether this holder still has the document. */
  #has(held: Held): boolean {
    return this.#state === held;
  }

  #isReady(document: SegmentedDocument): boolean {
    return this.#state.kind === 'ready' && this.#state.document === document;
  }

  get #text(): SessionText {
    return this.#deps.text();
  }

  get #restoring() {
    return { sandbox: this.#deps.sandbox, clock: this.#deps.clock, signal: this.signal };
  }
}
