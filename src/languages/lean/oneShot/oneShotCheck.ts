import type { Clock } from '../../../base/clock.ts';
import { slices } from '../../../base/slices.ts';
import type { Exit } from '../../../protocol/messages.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd, lossEnd, plainError, violentEnd } from '../../exit.ts';
import type { CellEnd, CellError, CellOutput, CellRequest, CompletionList, Interpreter } from '../../language.ts';
import { type CellToCheck, type CheckedCell, type CheckTerms, checkCell, firstSegments } from '../check/checkCell.ts';
import { type Printed, readPrinted, visible } from '../check/diagnostics.ts';
import { SegmentedDocument } from '../check/segmentedDocument.ts';
import { cellReport, crashEnd, refusalOf, rejection } from '../ends.ts';
import { type JudgedCode, judge, objections } from '../judge/judge.ts';
import type { Judgement, JudgeTerms } from '../judge/terms.ts';
import type { NoAnswer } from '../lsp/document.ts';
import { type Program, type ProgramExit, runProgram } from '../program/leanRun.ts';
import { check } from '../replay/check.ts';
import { compile } from '../replay/compile.ts';
import { type CheckReport, EMPTY_REPORT, leanTask } from '../report.ts';
import { DEFAULT_LIMIT } from '../reportSize.ts';
import type { LeanSettings } from '../settings.ts';
import { FLOOD, watchForFlood } from '../worker/flood.ts';
import { MemoryWatch } from '../worker/memoryWatch.ts';
import { type LeanWorker, prefixOf } from '../worker/worker.ts';
import { type CheckPlan, planOf, withGoals } from './task.ts';

/** What a one-shot check depends on. */
export interface OneShotDeps {
  readonly sandbox: Sandbox;
  /** Rejects when no worker can start in the sandbox. */
  readonly worker: () => Promise<LeanWorker>;
  readonly settings: LeanSettings;
  readonly clock: Clock;
  /** Called with a header that Lean can elaborate, so that workers can be kept warm for it. */
  readonly onHeader: (header: string) => void;
  /** Called when a check ends and its worker can be used again. */
  readonly onFree: () => void;
}

const TOO_MUCH = plainError('TooMuchOutput', `Lean ${FLOOD}.`);
const NOTHING: CompletionList = { start: 0, end: 0, matches: [] };

/** The progress of a running check. */
interface Progress {
  report: CheckReport | null;
  readonly bytes: { stdout: number; stderr: number };
  memory: MemoryWatch | null;
}

/**
 * Checks code on a warm worker, as a document with one cell, and runs its `main` by `lean --run`. When the end is `alive`,
 * the worker can be used again.
 */
export class OneShotCheck implements Interpreter {
  readonly #deps: OneShotDeps;
  readonly #stop = new AbortController();
  readonly #progress: Progress = { report: null, bytes: { stdout: 0, stderr: 0 }, memory: null };

  constructor(deps: OneShotDeps) {
    this.#deps = deps;
  }

  async run(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const lost = this.#deps.sandbox.lost.then((loss) => cellEnd({ ...lossEnd(loss), alive: false }));
    const stopped = new Promise<CellEnd>((resolve) => {
      this.#stop.signal.addEventListener('abort', () => resolve(this.#killed()));
    });
    let isOver = false;
    const say = (output: CellOutput) => {
      if (isOver) return;
      if (output.kind === 'stdout' || output.kind === 'stderr')
        this.#progress.bytes[output.kind] += Buffer.byteLength(output.text);
      onOutput(output);
    };
    const end = await Promise.race([lost, stopped, this.#checkAndRun(cell, say)]);
    isOver = true;
    this.#progress.memory?.dispose();
    if (end.alive) this.#deps.onFree();
    const seen = this.#progress.memory?.peakBytes ?? 0;
    return { ...end, peakMemoryBytes: Math.max(end.peakMemoryBytes, seen) };
  }

  complete(): Promise<CompletionList> {
    return Promise.resolve(NOTHING);
  }

  interrupt(): void {
    this.kill();
  }

  kill(): void {
    this.#stop.abort();
  }

  /** Keeps the check's report and the count of what the program printed. */
  #killed(): CellEnd {
    const { report, bytes } = this.#progress;
    return cellEnd({
      ...{ status: 'killed', alive: false, report: report && cellReport(report) },
      ...{ stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr },
    });
  }

  async #checkAndRun(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const refused = textsOf(cell).reduce<CellError | null>(
      (found, text) => found ?? refusalOf(text, this.#deps.settings),
      null,
    );
    if (refused) return cellEnd({ status: 'error', alive: true, error: refused });
    const plan = planOf(cell);
    const judgeTerms = judgeTermsOf(cell);
    const reasons = judgeTerms ? objections(plan.code, leanTask(cell.task)?.context ?? '', judgeTerms) : [];
    if (reasons.length > 0) {
      const report = withJudgement(EMPTY_REPORT, { axioms: [], reasons });
      return cellEnd({ status: 'error', alive: true, error: rejection(report), report: cellReport(report) });
    }
    try {
      const task = leanTask(cell.task);
      if (task?.kind === 'compile') return await compile(this.#deps.sandbox, plan.code);
      if (task?.kind === 'replay') return await check(this.#deps.sandbox, task.files);
      const worker = await this.#deps.worker();
      if (worker.server.isLost) return unstartedEnd('it was gone already');
      this.#progress.memory = new MemoryWatch(worker, this.#deps.clock);
      return await this.#check(worker, cell, plan, onOutput);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return cellEnd({ status: 'error', alive: false, error: plainError('LeanFailed', message) });
    }
  }

  async #check(
    worker: LeanWorker,
    cell: CellRequest,
    plan: CheckPlan,
    onOutput: (output: CellOutput) => void,
  ): Promise<CellEnd> {
    const { code } = plan;
    const { stdin, outputLimit: limit = DEFAULT_LIMIT } = cell;
    const killsBefore = worker.oomKills;
    const before = [prefixOf(code.header.text)];
    const toCheck: CellToCheck = { source: code, before, scopes: null, imports: code.imports };
    const segments = firstSegments(toCheck);
    const { document: lean, close } = worker.take(code.header.text, segments.join(''));
    const document = new SegmentedDocument(worker, lean, [...before, ...segments]);
    const flood = watchForFlood(lean);
    const terms = { document, limit, signal: AbortSignal.any([this.#stop.signal, flood.signal]) };
    const checked = await checkCell(toCheck, terms);
    const leanBytes = lean.diagnosticBytes;
    const judged =
      checked.kind === 'checked' ? await judgedBy(judgeTermsOf(cell), { code, before, checked }, terms) : null;
    flood.dispose();
    if (flood.signal.aborted) return cellEnd({ status: 'error', alive: false, error: TOO_MUCH });
    if (checked.kind === 'lost' && !flood.isHeard) return unstartedEnd(checked.reason);
    const unanswered = judged && 'kind' in judged ? judged : null;
    const failed = checked.kind === 'crashed' || checked.kind === 'lost' ? checked : unanswered;
    if (failed) {
      await worker.look();
      return crashEnd(failed, { isOutOfMemory: worker.oomKills > killsBefore, alive: false, consequence: '' });
    }
    if (checked.kind === 'unchecked') {
      this.#progress.report = EMPTY_REPORT;
      close(true);
      return this.#end(worker, { status: 'error', error: rejection(EMPTY_REPORT) }, EMPTY_REPORT);
    }
    if (checked.kind !== 'checked') return cellEnd({ status: 'error', alive: false, error: lostServer(checked) });
    const asked = await withGoals(checked.report, checked.reading.region, plan, terms);
    const report = judged && !('kind' in judged) ? withJudgement(asked, judged) : asked;
    this.#progress.report = report;
    close(checked.headerFailed);
    if (!checked.headerFailed) this.#deps.onHeader(code.header.text);
    if (report.verdict === 'rejected') return this.#end(worker, { status: 'error', error: rejection(report) }, report);
    const text = before.join('') + code.body;
    if (checked.main && !cell.task) return this.#runMain({ text, stdin, leanBytes, limit }, report, onOutput);
    const printed = await printedBy(checked, limit);
    if (printed.text) onOutput({ kind: 'stdout', text: printed.text });
    return this.#end(worker, { status: 'ok', stdoutBytes: printed.bytes }, report);
  }

  #end(worker: LeanWorker, end: Partial<CellEnd> & Pick<CellEnd, 'status'>, report: CheckReport): CellEnd {
    const { reuse, workerMemoryBytes } = this.#deps.settings;
    // Measured after the answer, for the next check.
    void worker.look();
    const alive = reuse === 'worker' && worker.memoryBytes <= workerMemoryBytes && !worker.server.isLost;
    return cellEnd({ ...end, alive, report: cellReport(report) });
  }

  /** A reset removes what a program leaves, so the worker is not used again. */
  async #runMain(program: Program, report: CheckReport, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const running = await runProgram(this.#deps.sandbox, program, onOutput);
    const { end, leanBytes } = await running.ended;
    if (end.kind === 'lost') return cellEnd({ status: 'sandbox_lost', alive: false });
    return { ...endOfProgram(end.exit, leanBytes), report: cellReport(report) };
  }
}

/** The texts that Lean reads for a request. */
function textsOf(cell: CellRequest): string[] {
  const { code, task } = cell;
  const asked = leanTask(task);
  const statement = judgeTermsOf(cell)?.statement;
  return [asked?.context, code, asked?.kind === 'tactic' ? asked.tactic : statement].filter(
    (text) => text !== undefined,
  );
}

function judgeTermsOf({ task }: CellRequest): JudgeTerms | null {
  const asked = leanTask(task);
  return (asked?.kind === 'check' && asked.judge) || null;
}

/** The judgement of code without an error; null when it is not asked for. */
async function judgedBy(
  judgeTerms: JudgeTerms | null,
  judged: JudgedCode,
  terms: CheckTerms,
): Promise<Judgement | NoAnswer | null> {
  return judgeTerms && judged.checked.report.verdict !== 'rejected' ? judge(judged, judgeTerms, terms) : null;
}

function withJudgement(report: CheckReport, judgement: Judgement): CheckReport {
  return { ...report, judgement, verdict: judgement.reasons.length > 0 ? 'rejected' : report.verdict };
}

function printedBy({ reading }: CheckedCell, limit: number): Promise<Printed> {
  return slices.run(readPrinted(visible(reading.diagnostics), limit));
}

/** The end of a program; `leanBytes` as in `ProgramExit`. */
function endOfProgram(exit: Exit, leanBytes: ProgramExit['leanBytes']): CellEnd {
  const { code, stderrBytes, peakMemoryBytes } = exit;
  const left: Pick<CellEnd, 'status' | 'error'> =
    code === 0
      ? { status: 'ok', error: null }
      : { status: 'error', error: plainError('ExitStatus', `The program ended with exit status ${code}.`) };
  const end = violentEnd(exit, false) ?? left;
  const stdoutBytes = exit.stdoutBytes - leanBytes;
  return cellEnd({ ...end, alive: false, exitCode: code, stdoutBytes, stderrBytes, peakMemoryBytes });
}

/** The end of a check whose worker ended before the check started. */
function unstartedEnd(reason: string): CellEnd {
  const error = plainError('LeanFailed', `The Lean server ended before the check began: ${reason}.`);
  return { ...cellEnd({ status: 'error', alive: false, error }), unstarted: true };
}

function lostServer(answer: NoAnswer): CellError {
  return plainError('LeanFailed', `The Lean server gave no answer: the check was ${answer.kind}.`);
}
