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

/** The end of one try to run a cell. */
interface Try {
  readonly end: CellRunEnd;
  readonly held: Held;
  /** Whether Lean published anything meanwhile. */
  readonly isHeard: boolean;
  /** Processes that the kernel had killed for memory before. */
  readonly killsBefore: number;
}

/** The time for a question's answer; questions come while a person types. */
const QUESTION_MS = 1_500;

/**
 * A session of Lean: one server with one document, which consists of a header and the accepted cells. A cell that is
 * rejected, interrupted or crashes leaves no trace.
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

  /** `worker` has no other user; null starts one. */
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

  /** Everything that the session has accepted: a complete Lean file. */
  text(): string {
    return segmentsOf(this.#text).join('');
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
    const cell = newCell(request.cell ?? this.#freshId(request.name), code);
    const { isSuspect } = this.#keeper;
    const first = await this.#tryCell(job, cell, request);
    if (!first || !mayBeInnocent(first, isSuspect)) return this.#conclude(job, first);
    await this.#keeper.restoreAfter(first.held, first.end.kind === 'lost', 'other');
    if (!job.isOver) await this.#conclude(job, await this.#tryCell(job, cell, request));
  }

  /** Runs the cell in the document; null when the cell has ended already. */
  async #tryCell(job: Job, cell: NewCell, request: CellRequest): Promise<Try | null> {
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
    const end = await new CellRun(deps, cell, request).run().catch((error: unknown) => {
      if (signal.aborted) return { kind: 'aborted' as const };
      throw error;
    });
    flood.dispose();
    if (job.isOver) return null;
    if (!flood.signal.aborted) return { end, held, isHeard: flood.isHeard, killsBefore };
    this.#giveUp(job, floodEnd());
    return null;
  }

  async #conclude(job: Job, tried: Try | null): Promise<void> {
    if (!tried) return;
    const { end, held, killsBefore } = tried;
    const { document } = held;
    if (end.kind === 'done') {
      this.#text = end.text;
      // A new header stays for the next run of a cell that was rejected with it, because it may take long to elaborate.
      const [header = '', ...cells] = segmentsOf(end.text);
      if (document.beginsWith([header]) && !document.beginsWith([header, ...cells]))
        document.become([header, ...cells]);
      this.#keeper.giveBack(held);
      job.end(end.end);
      await this.#checkMemory(document);
    } else if (end.kind === 'headerFailed') {
      void this.#keeper.restoreAfter(held, false, 'cell');
      job.end(end.end);
    } else {
      await document.worker.look();
      if (job.isOver) return;
      void this.#keeper.restoreAfter(held, end.kind !== 'crashed', 'cell');
      const isOutOfMemory = document.worker.oomKills > killsBefore;
      job.end(crashEnd(end, { isOutOfMemory, alive: true, consequence: KEPT }));
    }
  }

  #giveUp(job: Job, end: CellEnd): void {
    job.end(end);
    this.#keeper.takeFromCell();
  }

  /** Replaces a worker above its memory limit while the session is unused. */
  async #checkMemory(document: SegmentedDocument): Promise<void> {
    await document.worker.look();
    if (document.worker.memoryBytes > this.#settings.workerMemoryBytes) this.#keeper.replace(document);
  }

  /** Returns `nothing` while a cell runs, when the answer takes too long, and when another question replaces this one. */
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

/** Whether Lean may have ended for another reason than the cell: it published nothing, or a question came before. */
function mayBeInnocent({ end, isHeard }: Try, isSuspect: boolean): boolean {
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
