import { type Clock, systemClock } from '../../../base/clock.ts';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type {
  CellEnd,
  CellOutput,
  CellPlace,
  CellRequest,
  CompletionList,
  Draft,
  Interpreter,
} from '../../language.ts';
import { crashEnd, endOf } from '../ends.ts';
import { watchForFlood } from '../flood.ts';
import type { LeanSettings } from '../settings.ts';
import { EMPTY_HEADER, parseHeader } from '../text/header.ts';
import { withLineFeeds } from '../text/lineEnds.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { Attempt, type AttemptEnd } from './attempt.ts';
import { isBusy } from './calm.ts';
import { pieceOf, type SessionText, segmentsOf } from './cells.ts';
import { Job } from './job.ts';
import { type Queries, queries } from './queries.ts';
import { type Restored, reopen, restart } from './restore.ts';
import { SessionDocument } from './sessionDocument.ts';
import { endOfLoss, failedEnd, floodEnd, interruptedEnd, KEPT, lostEnd, refusalOf } from './sessionEnds.ts';

type State =
  | { readonly kind: 'ready'; readonly document: SessionDocument }
  /** A cell or a question is under way; `stop` makes it leave the document alone. */
  | { readonly kind: 'running'; readonly document: SessionDocument; readonly stop: AbortController }
  /** Lean is being started, or brought back to what the session has accepted; `over` resolves when that has ended. */
  | { readonly kind: 'starting' | 'restoring'; readonly over: Promise<void> }
  | { readonly kind: 'dead'; readonly end: CellEnd };

/** What the server may send for one cell; more is a flood. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Questions are for people who type. */
const QUESTION_MS = 1_500;
/** For Lean to take note that a cell was taken out. */
const SETTLE_MS = 3_000;

/**
 * A session of Lean: one living server with one document, made of a header and the cells that were accepted. A cell that
 * is rejected, interrupted or crashes leaves no trace in it.
 */
export class LeanSession implements Interpreter {
  readonly #sandbox: Sandbox;
  readonly #settings: LeanSettings;
  readonly #clock: Clock;
  readonly #life = new AbortController();
  readonly #ended = deferred<CellEnd>();
  readonly ended = this.#ended.promise;
  #text: SessionText;
  #state: State;
  #job: Job | null = null;

  /** `worker` is one that nobody else uses, or null to start one. */
  constructor(sandbox: Sandbox, worker: LeanWorker | null, settings: LeanSettings, clock: Clock) {
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#clock = clock;
    const header = worker ? parseHeader(worker.header) : EMPTY_HEADER;
    this.#text = { header, cells: [] };
    if (worker) this.#state = this.#watched(new SessionDocument(worker, segmentsOf(this.#text)));
    else this.#state = { kind: 'starting', over: this.#regain(restart(this.#restoring, null, this.#text)) };
    void sandbox.lost.then((loss) => this.#die(endOfLoss(loss)));
  }

  /** What the session has accepted: a whole file of Lean. */
  text(): string {
    return segmentsOf(this.#text).join('');
  }

  /** Its header, as `Header.text`. */
  get header(): string {
    return this.#text.header.text;
  }

  async run(request: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    if (this.#job) throw new Error('an interpreter runs one thing at a time');
    const job = new Job(onOutput);
    this.#job = job;
    void this.#work(job, request).catch((error: unknown) => {
      if (!job.isOver) this.#giveUp(job, failedEnd(error));
    });
    const end = await job.ended;
    this.#job = null;
    return end;
  }

  complete(code: string, cursor: number, cell?: string): Promise<CompletionList> {
    const nothing = { start: cursor, end: cursor, matches: [] };
    return this.#ask({ cell: cell ?? null, code, cursor }, nothing, (asked) => asked.complete());
  }

  hover(draft: Draft): Promise<string | null> {
    return this.#ask(draft, null, (asked) => asked.hover());
  }

  definition(draft: Draft): Promise<readonly CellPlace[]> {
    return this.#ask<readonly CellPlace[]>(draft, [], (asked) => asked.definition());
  }

  interrupt(): void {
    this.#job?.end(interruptedEnd());
    this.#takeOut();
  }

  kill(): void {
    this.#die(endOf({ status: 'killed', alive: false }));
  }

  async #work(job: Job, request: CellRequest): Promise<void> {
    const code = withLineFeeds(request.code);
    const refused = refusalOf(code, this.#settings);
    if (refused) {
      job.end(endOf({ status: 'error', alive: this.#state.kind !== 'dead', error: refused }));
      return;
    }
    const document = await this.#document();
    if (job.isOver) return;
    if (!document) {
      if (this.#state.kind === 'dead') job.end(this.#state.end);
      return;
    }
    const piece = pieceOf(request.cell ?? this.#freshId(request.name), code);
    const flood = watchForFlood(document.worker.server, document.lean, MOST_BYTES);
    const stop = new AbortController();
    const signal = AbortSignal.any([job.signal, stop.signal, flood.signal]);
    this.#state = { kind: 'running', document, stop };
    const deps = { sandbox: this.#sandbox, document, text: this.#text, job, signal };
    const end = await new Attempt(deps, piece, request).run().catch((error: unknown) => {
      if (signal.aborted) return { kind: 'aborted' as const };
      throw error;
    });
    flood.dispose();
    if (job.isOver) return;
    if (flood.signal.aborted) this.#giveUp(job, floodEnd(MOST_BYTES));
    else await this.#conclude(job, document, end);
  }

  async #conclude(job: Job, document: SessionDocument, end: AttemptEnd): Promise<void> {
    if (end.kind === 'done') {
      this.#text = end.text;
      // Another header stays for the next try of a cell that was rejected with it; it may have taken long.
      const [header = '', ...cells] = segmentsOf(end.text);
      if (document.beginsWith([header]) && !document.beginsWith([header, ...cells]))
        document.become([header, ...cells]);
      this.#state = { kind: 'ready', document };
      job.end(end.end);
      await this.#lookAtMemory(document);
      return;
    }
    const { worker } = document;
    if (end.kind === 'headerFailed') {
      this.#restore(reopen(this.#restoring, document, this.#text));
      job.end(end.end);
      return;
    }
    const kills = await worker.oomKillsSince();
    if (job.isOver) return;
    if (end.kind === 'crashed') this.#restore(reopen(this.#restoring, document, this.#text));
    else this.#restore(restart(this.#restoring, worker, this.#text));
    job.end(crashEnd(kills, true, KEPT));
  }

  #giveUp(job: Job, end: CellEnd): void {
    job.end(end);
    this.#takeOut();
  }

  /** Takes out of the document what is under way, and sees to it that Lean has really let go of it. */
  #takeOut(): void {
    if (this.#state.kind !== 'running') return;
    const { document, stop } = this.#state;
    stop.abort();
    this.#restore(this.#calmed(document));
  }

  async #calmed(document: SessionDocument): Promise<Restored> {
    const text = this.#text;
    document.become(segmentsOf(text));
    const waiting = AbortSignal.any([this.#life.signal, AbortSignal.timeout(SETTLE_MS)]);
    const settled = await document.settled(waiting);
    if (settled.kind === 'crashed') return reopen(this.#restoring, document, text);
    const isSpent = settled.kind !== 'settled' || (await isBusy(this.#sandbox, this.#clock, this.#life.signal));
    return isSpent ? restart(this.#restoring, document.worker, text) : { kind: 'restored', document };
  }

  /** A worker that has grown beyond its limit is replaced while nobody waits for it. */
  async #lookAtMemory(document: SessionDocument): Promise<void> {
    await document.worker.look();
    const isIdle = this.#state.kind === 'ready' && this.#state.document === document;
    if (!isIdle || document.worker.memoryBytes <= this.#settings.workerMemoryBytes) return;
    this.#restore(restart(this.#restoring, document.worker, this.#text));
  }

  #restore(restored: Promise<Restored>): void {
    this.#state = { kind: 'restoring', over: this.#regain(restored) };
  }

  /** Never rejects. */
  async #regain(restoring: Promise<Restored>): Promise<void> {
    const restored = await restoring.catch((error: unknown): Restored => ({ kind: 'failed', reason: String(error) }));
    if (this.#state.kind === 'dead') {
      if (restored.kind === 'restored') restored.document.worker.server.kill();
    } else if (restored.kind === 'restored') this.#state = this.#watched(restored.document);
    else this.#die(lostEnd(restored.reason));
  }

  /** Ready on a document that is new, or whose server is; a server that goes while nothing runs is replaced. */
  #watched(document: SessionDocument): State {
    void document.worker.server.lost.then(() => {
      if (this.#state.kind !== 'ready' || this.#state.document !== document) return;
      this.#restore(restart(this.#restoring, document.worker, this.#text));
    });
    return { kind: 'ready', document };
  }

  get #restoring() {
    return { sandbox: this.#sandbox, clock: this.#clock, signal: this.#life.signal };
  }

  /** The document once it is ready; null when the session is dead. */
  async #document(): Promise<SessionDocument | null> {
    for (;;) {
      const state: State = this.#state;
      if (state.kind === 'dead') return null;
      if (state.kind === 'ready' || state.kind === 'running') return state.document;
      await state.over;
    }
  }

  #die(end: CellEnd): void {
    if (this.#state.kind === 'dead') return;
    const document = 'document' in this.#state ? this.#state.document : null;
    this.#state = { kind: 'dead', end };
    this.#life.abort();
    this.#ended.resolve(end);
    this.#job?.end(end);
    document?.worker.server.kill();
  }

  async #ask<T>(draft: Draft, nothing: T, question: (asked: Queries) => Promise<T>): Promise<T> {
    if (this.#state.kind !== 'ready') return nothing;
    const { document } = this.#state;
    const stop = new AbortController();
    this.#state = { kind: 'running', document, stop };
    const late = this.#clock.schedule(QUESTION_MS, () => this.#takeOut());
    const signal = AbortSignal.any([stop.signal, this.#life.signal]);
    const answer = await question(queries(document, this.#text, draft, signal)).catch((error: unknown) => {
      if (signal.aborted) return nothing;
      throw error;
    });
    late.dispose();
    if (!stop.signal.aborted && this.#state.kind === 'running') this.#state = { kind: 'ready', document };
    return answer;
  }

  #freshId(name: string): string {
    const taken = new Set(this.#text.cells.map(({ id }) => id));
    let id = name;
    for (let count = 2; taken.has(id); count += 1) id = `${name} (${count})`;
    return id;
  }
}

/** A session in a sandbox; `worker` as in the constructor. */
export function openLeanSession(
  sandbox: Sandbox,
  worker: LeanWorker | null,
  settings: LeanSettings,
  clock: Clock = systemClock,
): LeanSession {
  return new LeanSession(sandbox, worker, settings, clock);
}
