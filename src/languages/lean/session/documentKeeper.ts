import type { Clock } from '../../../base/clock.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellEnd } from '../../language.ts';
import type { SegmentedDocument } from '../check/segmentedDocument.ts';
import { lostEnd } from '../ends.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { type SessionText, segmentsOf } from './cells.ts';
import { AbandonedWork, waitUntilIdle } from './cpuActivity.ts';
import { documentOf, type Restored, reopen, restart } from './restore.ts';

/** Lean has what the session has accepted, and nobody uses it. */
interface Ready {
  readonly kind: 'ready';
  readonly document: SegmentedDocument;
}

/** A cell or a question has the document, and may put into it what it likes. */
export interface Held {
  readonly kind: 'cell' | 'question';
  readonly document: SegmentedDocument;
  /** Aborted when the document is taken from it, which it then leaves alone. */
  readonly stop: AbortController;
}

type State =
  | Ready
  | Held
  /** Lean is being started, or brought back to what the session has accepted; `over` resolves when that has ended. */
  | { readonly kind: 'restoring'; readonly over: Promise<void> }
  /** Lean could not be brought back while nobody needed it; whoever needs it next has it tried again. */
  | { readonly kind: 'down'; readonly worker: LeanWorker }
  | { readonly kind: 'dead'; readonly end: CellEnd };

/** What a keeper works with. */
export interface DocumentKeeperDeps {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** What the session has accepted, at any time. */
  readonly text: () => SessionText;
  /** Called once, with what is the end of whatever the session runs. */
  readonly onDead: (end: CellEnd) => void;
}

/** For Lean to take note that something was taken out of its document. */
const SETTLE_MS = 3_000;

/**
 * Keeps Lean's document of a session: lends it to one cell or question at a time, and brings it back to what was accepted
 * when Lean ends or does not let go. Only what a cell has done to Lean can end the session.
 */
export class DocumentKeeper {
  readonly #deps: DocumentKeeperDeps;
  readonly #life = new AbortController();
  readonly #abandoned: AbandonedWork;
  #state: State;

  /** `worker` is one that nobody else uses and that has the session's header, or null to start one. */
  constructor(deps: DocumentKeeperDeps, worker: LeanWorker | null) {
    this.#deps = deps;
    this.#abandoned = new AbandonedWork(deps.sandbox, deps.clock, this.#life.signal);
    this.#state = worker
      ? this.#watched(documentOf(worker, deps.text()))
      : { kind: 'restoring', over: this.#regain(restart(this.#restoring, null, deps.text()), null) };
  }

  /** The end that the session had; null while it lives. */
  get end(): CellEnd | null {
    return this.#state.kind === 'dead' ? this.#state.end : null;
  }

  /** Aborts when the session is over. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Whether a question may end Lean under whoever has the document next. */
  get isSuspect(): boolean {
    return this.#state.kind === 'question' || this.#abandoned.isPossible;
  }

  /** Lends the document to a cell, as soon as Lean is there; a question gives way. Null when the session is over. */
  async lendToCell(): Promise<Held | null> {
    for (;;) {
      const state: State = this.#state;
      if (state.kind === 'dead') return null;
      if ('document' in state) return this.#lend('cell', state);
      if (state.kind === 'down') await this.#restore(restart(this.#restoring, state.worker, this.#text), 'cell');
      else await state.over;
    }
  }

  /** Lends the document to a question; an earlier one gives way. Null when it is not to be had at once. */
  lendToQuestion(): Held | null {
    const state = this.#state;
    return state.kind === 'ready' || state.kind === 'question' ? this.#lend('question', state) : null;
  }

  /** Takes the document back, in which is what the session has accepted. */
  giveBack(held: Held): void {
    if (!this.#has(held)) return;
    this.#state = { kind: 'ready', document: held.document };
    this.#lookAfter(held.document);
  }

  /** Takes the document back from a cell that has done nothing with it. */
  giveBackUnused(held: Held): void {
    if (this.#has(held)) held.document.become(segmentsOf(this.#text));
    this.giveBack(held);
  }

  /** Takes the document from whatever cell has it, and sees to it that Lean has really let go of that. */
  takeFromCell(): void {
    if (this.#state.kind !== 'cell') return;
    const { document, stop } = this.#state;
    stop.abort();
    void this.#restore(this.#calmed(document), 'cell');
  }

  /** Makes whatever question has the document give it back. */
  stopQuestion(): void {
    if (this.#state.kind === 'question') this.#state.stop.abort();
  }

  /** Takes the document back from a question, without its draft. */
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

  /** Starts the document anew, or with a lost server all of Lean; resolves when that is done. `cause` is why it ended. */
  async bringBack(held: Held, isLost: boolean, cause: 'cell' | 'other'): Promise<void> {
    if (!this.#has(held)) return;
    const { document } = held;
    const restored = isLost
      ? restart(this.#restoring, document.worker, this.#text)
      : reopen(this.#restoring, document, this.#text);
    await this.#restore(restored, cause);
  }

  /** Starts another server in the place of the document's, where nobody uses it now. */
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

  /** Ready on a document that is new, or whose server is; a server that goes while no cell has it is replaced. */
  #watched(document: SegmentedDocument): Ready {
    void document.worker.server.lost.then(() => {
      if (this.#state.kind === 'question' && this.#state.document === document) this.endQuestion(this.#state);
      this.replace(document);
    });
    return { kind: 'ready', document };
  }

  /** Where Lean cannot be brought back from what a cell has done, that is the session's end. */
  #restore(restored: Promise<Restored>, cause: 'cell' | 'other'): Promise<void> {
    const worker = 'document' in this.#state ? this.#state.document.worker : null;
    const over = this.#regain(restored, cause === 'other' ? worker : null);
    this.#state = { kind: 'restoring', over };
    return over;
  }

  /** Where it fails, the session is `down` with that worker, or without one dead. Never rejects. */
  async #regain(restoring: Promise<Restored>, worker: LeanWorker | null): Promise<void> {
    const restored = await restoring.catch((error: unknown): Restored => ({ kind: 'failed', reason: String(error) }));
    if (this.#state.kind === 'dead') {
      if (restored.kind === 'restored') restored.document.worker.server.kill();
    } else if (restored.kind === 'restored') {
      this.#state = this.#watched(restored.document);
      this.#lookAfter(restored.document);
    } else if (worker) this.#state = { kind: 'down', worker };
    else this.die(lostEnd(restored.reason));
  }

  async #calmed(document: SegmentedDocument): Promise<Restored> {
    const { sandbox, clock } = this.#deps;
    const settled = await this.#settled(document);
    const isSame = settled.kind === 'restored' && settled.document === document;
    if (!isSame || (await waitUntilIdle(sandbox, clock, this.signal))) return settled;
    return restart(this.#restoring, document.worker, this.#text);
  }

  /** What was accepted is there again at once, unless what is left to do takes all that Lean has. */
  async #settled(document: SegmentedDocument): Promise<Restored> {
    document.become(segmentsOf(this.#text));
    const settled = await document.settled(AbortSignal.any([this.signal, AbortSignal.timeout(SETTLE_MS)]));
    if (settled.kind === 'crashed') return reopen(this.#restoring, document, this.#text);
    if (settled.kind === 'settled') return { kind: 'restored', document };
    return restart(this.#restoring, document.worker, this.#text);
  }

  /** What an old question has left to do in Lean is looked after while the session goes on. */
  #lookAfter(document: SegmentedDocument): void {
    void this.#abandoned.watch(
      () => this.#isReady(document),
      () => this.replace(document),
    );
  }

  /** Whether the document is still lent to it. */
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
