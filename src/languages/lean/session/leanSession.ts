import { type Clock, systemClock } from '../../../base/clock.ts';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd } from '../../exit.ts';
import type {
  CellEnd,
  CellOutput,
  CellPlace,
  CellRequest,
  CompletionList,
  Draft,
  Interpreter,
} from '../../language.ts';
import type { SegmentedDocument } from '../check/segmentedDocument.ts';
import { crashEnd, endOfLoss, failedEnd, floodEnd, interruptedEnd, KEPT, refusalOf } from '../ends.ts';
import type { LeanSettings } from '../settings.ts';
import { EMPTY_HEADER, parseHeader } from '../text/header.ts';
import { withLineFeeds } from '../text/position.ts';
import { watchForFlood } from '../worker/flood.ts';
import { MemoryWatch } from '../worker/memoryWatch.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { CellRun, type CellRunEnd } from './cellRun.ts';
import { type NewCell, newCell, type SessionText, segmentsOf } from './cells.ts';
import { DocumentKeeper, type Held } from './documentKeeper.ts';
import { Job } from './job.ts';
import { type Queries, queries } from './queries.ts';

/** How the run of a cell ended, and whether Lean has said anything of it. */
interface Attempted {
  readonly end: CellRunEnd;
  readonly held: Held;
  readonly isHeard: boolean;
  /** What the kernel had killed for memory before. */
  readonly killsBefore: number;
}

/** Questions are for people who type. */
const QUESTION_MS = 1_500;

/**
 * A session of Lean: one living server with one document, made of a header and the cells that were accepted. A cell that
 * is rejected, interrupted or crashes leaves no trace in it.
 */
export class LeanSession implements Interpreter {
  readonly #sandbox: Sandbox;
  readonly #settings: LeanSettings;
  readonly #clock: Clock;
  readonly #keeper: DocumentKeeper;
  readonly #ended = deferred<CellEnd>();
  readonly ended = this.#ended.promise;
  #text: SessionText;
  #job: Job | null = null;

  /** `worker` is one that nobody else uses, or null to start one. */
  constructor(sandbox: Sandbox, worker: LeanWorker | null, settings: LeanSettings, clock: Clock) {
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#clock = clock;
    const header = worker ? parseHeader(worker.header) : EMPTY_HEADER;
    this.#text = { header, cells: [] };
    const onDead = (end: CellEnd) => {
      this.#ended.resolve(end);
      this.#job?.end(end);
    };
    this.#keeper = new DocumentKeeper({ sandbox, clock, text: () => this.#text, onDead }, worker);
    void sandbox.lost.then((loss) => this.#keeper.die(endOfLoss(loss)));
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
    this.#keeper.stopQuestion();
    this.#keeper.takeFromCell();
  }

  kill(): void {
    this.#keeper.die(cellEnd({ status: 'killed', alive: false }));
  }

  async #work(job: Job, request: CellRequest): Promise<void> {
    const code = withLineFeeds(request.code);
    const refused = refusalOf(code, this.#settings);
    if (refused) {
      job.end(cellEnd({ status: 'error', alive: this.#keeper.end === null, error: refused }));
      return;
    }
    const piece = newCell(request.cell ?? this.#freshId(request.name), code);
    const { isSuspect } = this.#keeper;
    const first = await this.#attempt(job, piece, request);
    if (!first || !isInnocent(first, isSuspect)) return this.#conclude(job, first);
    await this.#keeper.bringBack(first.held, first.end.kind === 'lost', 'other');
    if (!job.isOver) await this.#conclude(job, await this.#attempt(job, piece, request));
  }

  /** Tries the cell in the document; null where it has ended already. */
  async #attempt(job: Job, piece: NewCell, request: CellRequest): Promise<Attempted | null> {
    const held = await this.#keeper.lendToCell();
    if (!held || job.isOver) {
      if (held) this.#keeper.giveBackUnused(held);
      if (this.#keeper.end) job.end(this.#keeper.end);
      return null;
    }
    const { document, stop } = held;
    const killsBefore = document.worker.oomKills;
    job.watch(new MemoryWatch(document.worker, this.#clock));
    const flood = watchForFlood(document.lean);
    const signal = AbortSignal.any([job.signal, stop.signal, flood.signal]);
    const deps = { sandbox: this.#sandbox, document, text: this.#text, job, signal };
    const end = await new CellRun(deps, piece, request).run().catch((error: unknown) => {
      if (signal.aborted) return { kind: 'aborted' as const };
      throw error;
    });
    flood.dispose();
    if (job.isOver) return null;
    if (!flood.signal.aborted) return { end, held, isHeard: flood.isHeard, killsBefore };
    this.#giveUp(job, floodEnd());
    return null;
  }

  async #conclude(job: Job, attempted: Attempted | null): Promise<void> {
    if (!attempted) return;
    const { end, held, killsBefore } = attempted;
    const { document } = held;
    if (end.kind === 'done') {
      this.#text = end.text;
      // Another header stays for the next try of a cell that was rejected with it; it may have taken long.
      const [header = '', ...cells] = segmentsOf(end.text);
      if (document.beginsWith([header]) && !document.beginsWith([header, ...cells]))
        document.become([header, ...cells]);
      this.#keeper.giveBack(held);
      job.end(end.end);
      await this.#lookAtMemory(document);
    } else if (end.kind === 'headerFailed') {
      void this.#keeper.bringBack(held, false, 'cell');
      job.end(end.end);
    } else {
      await document.worker.look();
      if (job.isOver) return;
      void this.#keeper.bringBack(held, end.kind !== 'crashed', 'cell');
      const isOutOfMemory = document.worker.oomKills > killsBefore;
      job.end(crashEnd(end, { isOutOfMemory, alive: true, consequence: KEPT }));
    }
  }

  #giveUp(job: Job, end: CellEnd): void {
    job.end(end);
    this.#keeper.takeFromCell();
  }

  /** A worker that has grown beyond its limit is replaced while nobody waits for it. */
  async #lookAtMemory(document: SegmentedDocument): Promise<void> {
    await document.worker.look();
    if (document.worker.memoryBytes > this.#settings.workerMemoryBytes) this.#keeper.replace(document);
  }

  /** `nothing` where a cell runs, and where the answer takes long or another question takes its place. */
  async #ask<T>(draft: Draft, nothing: T, question: (asked: Queries) => Promise<T>): Promise<T> {
    const held = this.#keeper.lendToQuestion();
    if (!held) return nothing;
    const late = this.#clock.schedule(QUESTION_MS, () => held.stop.abort());
    const signal = AbortSignal.any([held.stop.signal, this.#keeper.signal]);
    const answer = await question(queries(held.document, this.#text, draft, signal)).catch((error: unknown) => {
      if (signal.aborted) return nothing;
      throw error;
    });
    late.dispose();
    this.#keeper.endQuestion(held);
    return answer;
  }

  #freshId(name: string): string {
    const taken = new Set(this.#text.cells.map(({ id }) => id));
    let id = name;
    for (let count = 2; taken.has(id); count += 1) id = `${name} (${count})`;
    return id;
  }
}

/** Whether an end of Lean may have another cause than the cell: nothing was heard of it, or a question came before. */
function isInnocent({ end, isHeard }: Attempted, isSuspect: boolean): boolean {
  if (end.kind === 'lost') return isSuspect || !isHeard;
  return isSuspect && end.kind === 'crashed';
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
