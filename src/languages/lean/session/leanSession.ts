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
import { MemoryWatch } from '../worker/memoryWatch.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { Aftermath } from './aftermath.ts';
import { Attempt, type AttemptEnd } from './attempt.ts';
import { isBusy } from './calm.ts';
import { type Piece, pieceOf, type SessionText, segmentsOf } from './cells.ts';
import { Job } from './job.ts';
import { type Queries, queries } from './queries.ts';
import { type Restored, reopen, restart } from './restore.ts';
import { SessionDocument } from './sessionDocument.ts';
import { endOfLoss, failedEnd, floodEnd, interruptedEnd, KEPT, lostEnd, refusalOf } from './sessionEnds.ts';

/** A cell is under way. */
interface Running {
  readonly kind: 'running';
  readonly document: SessionDocument;
  /** Makes it leave the document alone. */
  readonly stop: AbortController;
  /** What the kernel had killed for memory before it began. */
  readonly killsBefore: number;
}

/** A question is under way, with its draft in the document. */
interface Asking {
  readonly kind: 'asking';
  readonly document: SessionDocument;
  /** Aborted by whoever comes next, who takes the document. */
  readonly stop: AbortController;
}

type State =
  | { readonly kind: 'ready'; readonly document: SessionDocument }
  | Running
  | Asking
  /** Lean is being started, or brought back to what the session has accepted; `over` resolves when that has ended. */
  | { readonly kind: 'starting' | 'restoring'; readonly over: Promise<void> }
  /** Lean could not be brought back while nobody needed it; the next cell tries again. */
  | { readonly kind: 'down'; readonly worker: LeanWorker }
  | { readonly kind: 'dead'; readonly end: CellEnd };

/** How the run of a cell ended, and whether Lean has said anything of it. */
interface Attempted {
  readonly end: AttemptEnd;
  readonly isHeard: boolean;
}

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
  readonly #aftermath: Aftermath;
  #text: SessionText;
  #state: State;
  #job: Job | null = null;

  /** `worker` is one that nobody else uses, or null to start one. */
  constructor(sandbox: Sandbox, worker: LeanWorker | null, settings: LeanSettings, clock: Clock) {
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#clock = clock;
    this.#aftermath = new Aftermath(sandbox, clock, this.#life.signal);
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
    if (this.#state.kind === 'asking') this.#state.stop.abort();
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
    const piece = pieceOf(request.cell ?? this.#freshId(request.name), code);
    // What a question has left behind may end Lean under a cell that has no part in it.
    const isSuspect = this.#state.kind === 'asking' || this.#aftermath.isExpected;
    const first = await this.#attempt(job, piece, request);
    const isGone = first?.end.kind === 'lost' && !first.isHeard;
    const isInnocent = isGone || (isSuspect && (first?.end.kind === 'lost' || first?.end.kind === 'crashed'));
    if (!first || !isInnocent) return this.#conclude(job, first?.end ?? null);
    await this.#backFrom(first.end, 'other');
    const second = job.isOver ? null : await this.#attempt(job, piece, request);
    return this.#conclude(job, second?.end ?? null);
  }

  /** Tries the cell in the document; null where it has ended already. */
  async #attempt(job: Job, piece: Piece, request: CellRequest): Promise<Attempted | null> {
    const document = await this.#document();
    if (job.isOver) return null;
    if (!document) {
      if (this.#state.kind === 'dead') job.end(this.#state.end);
      return null;
    }
    job.watch(new MemoryWatch(document.worker, this.#clock));
    const flood = watchForFlood(document.lean);
    const stop = new AbortController();
    const signal = AbortSignal.any([job.signal, stop.signal, flood.signal]);
    this.#state = { kind: 'running', document, stop, killsBefore: document.worker.oomKills };
    const deps = { sandbox: this.#sandbox, document, text: this.#text, job, signal };
    const end = await new Attempt(deps, piece, request).run().catch((error: unknown) => {
      if (signal.aborted) return { kind: 'aborted' as const };
      throw error;
    });
    flood.dispose();
    if (job.isOver) return null;
    if (flood.signal.aborted) this.#giveUp(job, floodEnd());
    return flood.signal.aborted ? null : { end, isHeard: flood.isHeard };
  }

  async #conclude(job: Job, end: AttemptEnd | null): Promise<void> {
    if (this.#state.kind !== 'running' || end === null) return;
    const { document, killsBefore } = this.#state;
    if (end.kind === 'done') {
      this.#text = end.text;
      // Another header stays for the next try of a cell that was rejected with it; it may have taken long.
      const [header = '', ...cells] = segmentsOf(end.text);
      if (document.beginsWith([header]) && !document.beginsWith([header, ...cells]))
        document.become([header, ...cells]);
      this.#state = { kind: 'ready', document };
      job.end(end.end);
      this.#lookAfter(document);
      await this.#lookAtMemory(document);
    } else if (end.kind === 'headerFailed') {
      void this.#restore(reopen(this.#restoring, document, this.#text));
      job.end(end.end);
    } else {
      await document.worker.look();
      if (job.isOver) return;
      void this.#backFrom(end, 'cell');
      const isOutOfMemory = document.worker.oomKills > killsBefore;
      job.end(crashEnd(end, { isOutOfMemory, alive: true, consequence: KEPT }));
    }
  }

  /** Brings Lean back from its end, by whatever that was caused; resolves when that is done. */
  async #backFrom(end: AttemptEnd, cause: 'cell' | 'other'): Promise<void> {
    if (this.#state.kind !== 'running') return;
    const { document } = this.#state;
    const restored =
      end.kind === 'crashed'
        ? reopen(this.#restoring, document, this.#text)
        : restart(this.#restoring, document.worker, this.#text);
    await this.#restore(restored, cause === 'cell' ? undefined : () => ({ kind: 'down', worker: document.worker }));
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
    void this.#restore(this.#calmed(document));
  }

  async #calmed(document: SessionDocument): Promise<Restored> {
    const settled = await this.#settled(document);
    const isSame = settled.kind === 'restored' && settled.document === document;
    if (!isSame || !(await isBusy(this.#sandbox, this.#clock, this.#life.signal))) return settled;
    return restart(this.#restoring, document.worker, this.#text);
  }

  /** A worker that has grown beyond its limit is replaced while nobody waits for it. */
  async #lookAtMemory(document: SessionDocument): Promise<void> {
    await document.worker.look();
    if (document.worker.memoryBytes > this.#settings.workerMemoryBytes) this.#replace(document);
  }

  /** What an old question has left to do in Lean is looked after while the session goes on. */
  #lookAfter(document: SessionDocument): void {
    const isIdle = () => this.#state.kind === 'ready' && this.#state.document === document;
    void this.#aftermath.look(isIdle, () => this.#replace(document));
  }

  /** Starts another server in the place of the document's, where nobody uses it now. */
  #replace(document: SessionDocument): void {
    if (this.#state.kind !== 'ready' || this.#state.document !== document) return;
    void this.#restore(restart(this.#restoring, document.worker, this.#text), () => ({
      kind: 'down',
      worker: document.worker,
    }));
  }

  /** `failed` is what becomes of the session where Lean cannot be brought back; without it that is its end. */
  #restore(restored: Promise<Restored>, failed?: () => State): Promise<void> {
    const over = this.#regain(restored, failed);
    this.#state = { kind: 'restoring', over };
    return over;
  }

  /** Never rejects. */
  async #regain(restoring: Promise<Restored>, failed?: () => State): Promise<void> {
    const restored = await restoring.catch((error: unknown): Restored => ({ kind: 'failed', reason: String(error) }));
    if (this.#state.kind === 'dead') {
      if (restored.kind === 'restored') restored.document.worker.server.kill();
    } else if (restored.kind === 'restored') {
      this.#state = this.#watched(restored.document);
      this.#lookAfter(restored.document);
    } else if (failed) this.#state = failed();
    else this.#die(lostEnd(restored.reason));
  }

  /** Ready on a document that is new, or whose server is; a server that goes while no cell runs is replaced. */
  #watched(document: SessionDocument): State {
    void document.worker.server.lost.then(() => {
      if (this.#state.kind === 'asking' && this.#state.document === document) this.#endQuestion(this.#state);
      this.#replace(document);
    });
    return { kind: 'ready', document };
  }

  get #restoring() {
    return { sandbox: this.#sandbox, clock: this.#clock, signal: this.#life.signal };
  }

  /** The document once it is ready, taken from a question where there is one; null when the session is dead. */
  async #document(): Promise<SessionDocument | null> {
    for (;;) {
      const state: State = this.#state;
      if (state.kind === 'dead') return null;
      if (state.kind === 'asking') state.stop.abort();
      if ('document' in state) return state.document;
      if (state.kind === 'down') await this.#restore(restart(this.#restoring, state.worker, this.#text));
      else await state.over;
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

  /** `nothing` where a cell runs, and where the answer takes long or another question takes its place. */
  async #ask<T>(draft: Draft, nothing: T, question: (asked: Queries) => Promise<T>): Promise<T> {
    if (this.#state.kind === 'asking') this.#state.stop.abort();
    else if (this.#state.kind !== 'ready') return nothing;
    const { document } = this.#state;
    const stop = new AbortController();
    const asking: Asking = { kind: 'asking', document, stop };
    this.#state = asking;
    const late = this.#clock.schedule(QUESTION_MS, () => stop.abort());
    const signal = AbortSignal.any([stop.signal, this.#life.signal]);
    const answer = await question(queries(document, this.#text, draft, signal)).catch((error: unknown) => {
      if (signal.aborted) return nothing;
      throw error;
    });
    late.dispose();
    if (stop.signal.aborted) this.#aftermath.expect();
    if (this.#state === asking) this.#endQuestion(asking);
    return answer;
  }

  /** Takes the draft of a question out of the document, or where Lean did not survive it brings that back. */
  #endQuestion({ document, stop }: Asking): void {
    const down = () => ({ kind: 'down', worker: document.worker }) as const;
    this.#state = { kind: 'ready', document };
    if (document.worker.server.isLost) this.#replace(document);
    else if (document.lean.crashed) void this.#restore(reopen(this.#restoring, document, this.#text), down);
    else if (stop.signal.aborted) void this.#restore(this.#settled(document), down);
    else document.become(segmentsOf(this.#text));
  }

  /** What was accepted is there again at once, unless what is left to do takes all that Lean has. */
  async #settled(document: SessionDocument): Promise<Restored> {
    document.become(segmentsOf(this.#text));
    const settled = await document.settled(AbortSignal.any([this.#life.signal, AbortSignal.timeout(SETTLE_MS)]));
    if (settled.kind === 'crashed') return reopen(this.#restoring, document, this.#text);
    if (settled.kind === 'settled') return { kind: 'restored', document };
    return restart(this.#restoring, document.worker, this.#text);
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
