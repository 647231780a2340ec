import type { NotebookCell, NotebookCellExecution, NotebookController, Uri } from 'vscode';
import { messageOf, plainText } from '../../base/log.ts';
import type { ContinuedRun, EngineProblem, OnInput, RunOutput, RunResult } from '../../engine/types.ts';
import { formatProblem, inShortLines } from '../format.ts';
import { editorLanguage } from '../languages.ts';
import { askInput } from './askInput.ts';
import { endExecution, showRechecked } from './cellExecution.ts';
import type { CellNames } from './cellNames.ts';
import type { CellDiagnostics } from './language/diagnostics.ts';
import type { CellEvents, NotebookSession } from './notebookSession.ts';
import { CellOutput } from './output/cellOutput.ts';
import { closingSteps } from './output/closingSteps.ts';
import { notice, type OutputStep } from './output/outputSteps.ts';
import { ShownDisplays } from './output/shownDisplays.ts';
import { SessionCells } from './sessionCells.ts';

/** An empty answer waits so long for news that the window closes. */
const CLOSING_MS = 500;
const INTERRUPTED = notice('Interrupted before the session opened.');

/** What a queue needs from its notebook. */
export interface CellQueueDependencies {
  readonly session: NotebookSession;
  readonly names: CellNames;
  readonly diagnostics: CellDiagnostics;
  /** Called when a cell begins to run. */
  readonly onRun: () => void;
  /** Receives the problem when a session does not open. */
  readonly onProblem: (problem: EngineProblem, language: string) => void;
}

/** How a cell ended; `endedAt` in ms since the epoch, if its code ran. */
interface CellEnd {
  readonly ok: boolean;
  readonly endedAt?: number;
}

/** A cell that an earlier window has started. */
export interface LeftCell extends CellEvents {
  /** Ends the cell; null when its end is not known, because the session is gone. */
  readonly onEnd: (result: RunResult | null) => Promise<void>;
}

/** The cell that runs. */
interface RunningCell {
  readonly execution: NotebookCellExecution;
  readonly output: CellOutput;
  readonly controller: NotebookController;
  readonly signal: AbortSignal;
}

const FAILED: CellEnd = { ok: false };
/** For code whose output goes nowhere. */
const NO_EVENTS: CellEvents = { onOutput: () => {}, onInput: async () => null };

/** Runs a notebook's cells one at a time, in the order of requests. */
export class CellQueue {
  readonly #deps: CellQueueDependencies;
  readonly #cells: SessionCells;
  readonly #shown = new ShownDisplays();
  #waiting: NotebookCellExecution[] = [];
  #running: AbortController | undefined;
  /** The output of the cell that runs. */
  #output: CellOutput | undefined;
  /** Settles when the cell that an earlier window has left has ended. */
  #left: Promise<void> | undefined;
  #isFrozen = false;

  constructor(deps: CellQueueDependencies) {
    this.#deps = deps;
    this.#cells = new SessionCells(deps.names);
  }

  /** Adds cells. Throws when VS Code rejects one of them; the others still run. */
  add(cells: readonly NotebookCell[], controller: NotebookController): void {
    const refused: unknown[] = [];
    for (const cell of cells) {
      try {
        this.#waiting.push(controller.createNotebookCellExecution(cell));
      } catch (error) {
        refused.push(error);
      }
    }
    if (!this.#running) void this.#drain(controller);
    if (refused.length > 0) throw refused[0];
  }

  /** Whether a cell runs or waits for the session. */
  get isRunning(): boolean {
    return this.#running !== undefined || this.#left !== undefined;
  }

  /** Interrupts the running cell and drops the waiting ones. */
  interrupt(): void {
    this.drop();
    this.#running?.abort();
    // The session may run an agent's code while the cell waits for it.
    void this.#deps.session.interrupt();
  }

  /** Lets waiting cells wait for what an earlier window has left to run. */
  waitFor(left: Promise<void>): void {
    const done = left.then(() => {
      if (this.#left === done) this.#left = undefined;
    });
    this.#left = done;
  }

  /**
   * Shows the rest of a cell that an earlier window has started, with its start and its outputs so far. Returns what its
   * output and its end go to.
   */
  continue(cell: NotebookCell, { startedAt, isWhole }: ContinuedRun, controller: NotebookController): LeftCell {
    const execution = controller.createNotebookCellExecution(cell);
    execution.executionOrder = this.#deps.session.order;
    execution.start(startedAt);
    const output = new CellOutput(execution, this.#shown, { keeps: !isWhole });
    this.#output = output;
    return {
      onOutput: (event) => output.add(event),
      onInput: this.#askIn(cell.document.uri),
      onEnd: async (result) => {
        const endedAt = Date.now();
        if (result) await this.#close(output, result);
        if (this.#isFrozen) return;
        endExecution(execution, result?.status === 'ok', endedAt);
        if (result?.status !== 'ok') this.drop();
      },
    };
  }

  /** As `continue`, for a cell that the notebook does not have: its questions are asked, its output is not shown. */
  continueUnseen(notebook: Uri): CellEvents {
    return { onOutput: () => {}, onInput: this.#askIn(notebook) };
  }

  /** Writes what is pending, and nothing from then on: another window continues. */
  freeze(): void {
    this.#isFrozen = true;
    this.#output?.freeze();
  }

  /** Drops the waiting cells. */
  drop(): void {
    for (const execution of this.#waiting.splice(0)) endExecution(execution, undefined);
  }

  /** Never rejects: the next cell runs however the last one ended. */
  async #drain(controller: NotebookController): Promise<void> {
    this.#running = new AbortController();
    await this.#left;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const running = new AbortController();
      this.#running = running;
      // As in Jupyter, an error drops the cells after it.
      if (!(await this.#runCell(next, controller, running.signal))) this.drop();
    }
    this.#running = undefined;
  }

  async #runCell(execution: NotebookCellExecution, controller: NotebookController, signal: AbortSignal) {
    let end = FAILED;
    try {
      execution.start(Date.now());
      this.#deps.diagnostics.clear(execution.cell.document);
      const output = new CellOutput(execution, this.#shown);
      this.#output = output;
      end = await this.#openAndRun({ execution, output, controller, signal }).catch((error) => failed(output, error));
    } catch {
      // VS Code accepts no more output: the cell was deleted or its notebook closed.
    } finally {
      if (!this.#isFrozen) endExecution(execution, end.ok, end.endedAt ?? Date.now());
    }
    return end.ok;
  }

  async #openAndRun(running: RunningCell): Promise<CellEnd> {
    const { execution, output, signal } = running;
    const { session } = this.#deps;
    const opened = await session.open(signal);
    if (!opened.ok) {
      await output.write(signal.aborted ? [INTERRUPTED] : [this.#refusal(opened.error)]);
      return FAILED;
    }
    execution.executionOrder = session.nextOrder();
    if (execution.executionOrder === 1) this.#forgetSession();
    if (opened.lost !== null) await output.write([lossNotice(opened.lost)]);
    await this.#removeDeleted(opened.id, running);
    return this.#runIn(opened.id, running);
  }

  async #runIn(sessionId: string, running: RunningCell): Promise<CellEnd> {
    const { output, signal } = running;
    const { session, names, diagnostics } = this.#deps;
    const { document } = running.execution.cell;
    const toRun = { name: names.of(document.uri.toString()), code: document.getText() };
    const onOutput = (event: RunOutput) => output.add(event);
    this.#deps.onRun();
    const result = await session.run(sessionId, toRun, { onOutput, onInput: this.#askIn(document.uri) }, signal);
    // Measured before the output is written, which often takes longer than the run.
    const endedAt = Date.now();
    await this.#close(output, result);
    this.#cells.ran(toRun, result.report);
    const { report } = result;
    if (report) diagnostics.show(document, toRun.code, report, editorLanguage(report.language).name);
    await this.#showRecheckedCells(result, running);
    return { ok: result.status === 'ok', endedAt };
  }

  /** Asks a cell's questions. The one that is open when the window closes has no answer: another window asks it again. */
  #askIn(notebook: Uri): OnInput {
    const ask = askInput(notebook);
    return async (prompt, signal) => {
      const answer = await ask(prompt, signal);
      // A window that closes also closes its input boxes, a moment before it says so.
      if (answer === null && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
      return this.#isFrozen ? new Promise(() => {}) : answer;
    };
  }

  #close(output: CellOutput, result: RunResult): Promise<void> {
    return output.write(closingSteps(result, output.errorShown, this.#deps.session.info?.state));
  }

  /** A new session knows no cells and updates no earlier displays. */
  #forgetSession(): void {
    this.#cells.clear();
    this.#shown.clear();
  }

  /** Removes deleted cells from a session that keeps cells at their positions, so that others can declare the same names. */
  async #removeDeleted(sessionId: string, running: RunningCell): Promise<void> {
    const { session } = this.#deps;
    if (!editorLanguage(session.language).hasPlaces) return;
    for (const name of this.#cells.takeDeleted(running.execution.cell.notebook)) {
      const result = await session.run(sessionId, { name, code: '' }, NO_EVENTS, running.signal);
      await this.#showRecheckedCells(result, running);
    }
  }

  /** Updates the outputs of other cells that a run had rechecked. */
  async #showRecheckedCells({ report }: RunResult, { execution, controller }: RunningCell): Promise<void> {
    if (!report) return;
    const language = editorLanguage(report.language);
    for (const { cell: name, report: rechecked } of report.rechecked) {
      const cell = this.#cells.find(execution.cell.notebook, name);
      // A cell that waits or runs shows its own result later.
      if (!cell || [execution, ...this.#waiting].some((other) => other.cell === cell)) continue;
      if (!(await showRechecked(cell, { report: rechecked, language }, controller))) continue;
      this.#deps.diagnostics.show(cell.document, cell.document.getText(), rechecked, language.name);
    }
  }

  #refusal(problem: EngineProblem): OutputStep {
    this.#deps.onProblem(problem, this.#deps.session.language);
    const message = formatProblem(problem);
    return { kind: 'error', error: { name: 'No session', message, traceback: '' } };
  }
}

/** `reason` as in `it ran out of memory`. */
function lossNotice(reason: string): OutputStep {
  return notice(
    `${inShortLines(`The previous session ended: ${plainText(reason)}.`)}\nIts variables are lost. This cell runs in a new session.`,
  );
}

/** Shows an unexpected error in the cell. */
async function failed(output: CellOutput, error: unknown): Promise<CellEnd> {
  await output.write([{ kind: 'error', error: { name: 'Hothouse', message: messageOf(error), traceback: '' } }]);
  return FAILED;
}
