import type { Exit } from '../../protocol/messages.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { lossEnd, plainError, violentEnd } from '../exit.ts';
import type { CellEnd, CellError, CellOutput, CellRequest, CompletionList, Interpreter } from '../language.ts';
import { cellReport, crashEnd, endOf, printedIn, rejection } from './ends.ts';
import { watchForFlood } from './flood.ts';
import type { NoAnswer } from './lsp/document.ts';
import { importRefusal } from './policy.ts';
import type { CheckReport } from './report.ts';
import type { LeanSettings } from './settings.ts';
import { answered, workOf } from './task.ts';
import { check, placed, withQuestions } from './worker/check.ts';
import { type Program, runProgram } from './worker/program.ts';
import type { LeanWorker } from './worker/worker.ts';

/** What a one-shot check works with. */
export interface OneShotDeps {
  readonly sandbox: Sandbox;
  /** Rejects when the sandbox can have none. */
  readonly worker: () => Promise<LeanWorker>;
  readonly settings: LeanSettings;
  /** Called with a header that Lean knows, so that workers may be kept warm for it. */
  readonly onHeader: (header: string) => void;
}

/** What the server may send for one check; more is a flood. */
const MOST_BYTES = 64 * 1024 * 1024;
const TOO_MUCH = plainError('TooMuchOutput', 'Lean said more than 64 MB of the code and was stopped.');
const NOTHING: CompletionList = { start: 0, end: 0, matches: [] };

/**
 * Checks one piece of code on a warm worker; a `main` in it is then run by `lean --run`. An end that is `alive` has left
 * the worker as it found it.
 */
export class LeanOnce implements Interpreter {
  readonly #deps: OneShotDeps;
  readonly #stop = new AbortController();

  constructor(deps: OneShotDeps) {
    this.#deps = deps;
  }

  async run(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const lost = this.#deps.sandbox.lost.then((loss) => endOf({ ...lossEnd(loss), alive: false }));
    const stopped = new Promise<CellEnd>((resolve) => {
      this.#stop.signal.addEventListener('abort', () => resolve(endOf({ status: 'killed', alive: false })));
    });
    let isOver = false;
    const say = (output: CellOutput) => {
      if (!isOver) onOutput(output);
    };
    const end = await Promise.race([lost, stopped, this.#attempt(cell, say)]);
    isOver = true;
    return end;
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

  async #attempt(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const refused =
      importRefusal(cell.context ?? '', this.#deps.settings) ?? importRefusal(cell.code, this.#deps.settings);
    if (refused) return endOf({ status: 'error', alive: true, error: refused });
    try {
      const worker = await this.#deps.worker();
      return await this.#check(worker, cell, onOutput);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return endOf({ status: 'error', alive: false, error: plainError('LeanFailed', message) });
    }
  }

  async #check(worker: LeanWorker, cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const work = workOf(cell);
    const { document, start, close } = worker.take(work.body.header.text, withQuestions(work.body));
    const flood = watchForFlood(worker.server, document, MOST_BYTES);
    const piece = placed(document, start, work.body);
    const signal = AbortSignal.any([this.#stop.signal, flood.signal]);
    const checked = await check(piece, signal);
    flood.dispose();
    if (flood.signal.aborted) return endOf({ status: 'error', alive: false, error: TOO_MUCH });
    if (checked.kind === 'crashed') return crashEnd(await worker.oomKillsSince(), false, '');
    if (checked.kind !== 'checked') return endOf({ status: 'error', alive: false, error: lostServer(checked) });
    const report = await answered(piece, checked.report, work, signal);
    const text = document.text.slice(0, piece.span.end);
    close(checked.headerFailed);
    if (!checked.headerFailed) this.#deps.onHeader(work.body.header.text);
    if (report.verdict === 'rejected') return this.#end(worker, { status: 'error', error: rejection(report) }, report);
    if (checked.main && !cell.task) return this.#runMain({ text, stdin: cell.stdin }, report, onOutput);
    const printed = printedIn(report);
    if (printed) onOutput({ kind: 'stdout', text: printed });
    return this.#end(worker, { status: 'ok', stdoutBytes: Buffer.byteLength(printed) }, report);
  }

  #end(worker: LeanWorker, end: Partial<CellEnd> & Pick<CellEnd, 'status'>, report: CheckReport): CellEnd {
    const { reuse, workerMemoryBytes } = this.#deps.settings;
    // Looked at behind the answer: the next check finds out.
    void worker.look();
    const alive = reuse === 'worker' && worker.memoryBytes <= workerMemoryBytes;
    return endOf({ ...end, alive, report: cellReport(report) });
  }

  /** What a program leaves behind is for a reset to wipe, so its worker is not used again. */
  async #runMain(program: Program, report: CheckReport, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const running = await runProgram(this.#deps.sandbox, program, onOutput);
    const end = await running.ended;
    if (end.kind === 'lost') return endOf({ status: 'sandbox_lost', alive: false });
    return { ...endOfProgram(end.exit), report: cellReport(report) };
  }
}

/** The end of a program that has run. */
function endOfProgram(exit: Exit): CellEnd {
  const { code, stdoutBytes, stderrBytes, peakMemoryBytes } = exit;
  const left: Pick<CellEnd, 'status' | 'error'> =
    code === 0
      ? { status: 'ok', error: null }
      : { status: 'error', error: plainError('ExitStatus', `The program ended with exit status ${code}.`) };
  const end = violentEnd(exit, false) ?? left;
  return endOf({ ...end, alive: false, exitCode: code, stdoutBytes, stderrBytes, peakMemoryBytes });
}

function lostServer(answer: NoAnswer): CellError {
  const reason = answer.kind === 'lost' ? answer.reason : `the check was ${answer.kind}`;
  return plainError('LeanFailed', `The Lean server gave no answer: ${reason}.`);
}
