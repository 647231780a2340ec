import type { NotebookCell, NotebookCellExecution, NotebookController } from 'vscode';
import { messageOf, plainText } from '../../base/log.ts';
import type { EngineProblem, LanguageId, RunResult } from '../../engine/types.ts';
import { EDITOR_LANGUAGES } from '../languages.ts';
import { endExecution, showRechecked } from './cellExecution.ts';
import type { CellNames } from './cellNames.ts';
import type { CellDiagnostics } from './language/diagnostics.ts';
import type { NotebookSession } from './notebookSession.ts';
import { CellOutput } from './output/cellOutput.ts';
import { closingSteps } from './output/closingSteps.ts';
import { notice, type OutputStep } from './output/outputSteps.ts';
import { ShownDisplays } from './output/shownDisplays.ts';
import { SessionCells } from './sessionCells.ts';

const INTERRUPTED = notice('Interrupted before the session was open.');

/** What a notebook's queue works with. */
export interface CellQueueDependencies {
  readonly session: NotebookSession;
  readonly names: CellNames;
  readonly diagnostics: CellDiagnostics;
  /** Gets what kept a session from being opened. */
  readonly onProblem: (problem: EngineProblem, language: LanguageId) => void;
}

/** How a cell ended; `endedAt` in ms since the epoch, where its code ran. */
interface CellEnd {
  readonly ok: boolean;
  readonly endedAt?: number;
}

/** A cell whose turn has come. */
interface RunningCell {
  readonly execution: NotebookCellExecution;
  readonly output: CellOutput;
  readonly controller: NotebookController;
  readonly signal: AbortSignal;
}

const FAILED: CellEnd = { ok: false };

/** Runs a notebook's cells one after the other, as they were asked for. */
export class CellQueue {
  readonly #deps: CellQueueDependencies;
  readonly #cells: SessionCells;
  readonly #shown = new ShownDisplays();
  #waiting: NotebookCellExecution[] = [];
  #running: AbortController | undefined;

  constructor(deps: CellQueueDependencies) {
    this.#deps = deps;
    this.#cells = new SessionCells(deps.names);
  }

  /** Throws when the editor refused a cell, which then does not run; the others do. */
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

  /** Whether a cell runs, or waits for its turn in the session. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Interrupts the cell that runs and drops those that wait. */
  interrupt(): void {
    this.drop();
    this.#running?.abort();
    // What runs may be an agent's, with the cell waiting behind it.
    void this.#deps.session.interrupt();
  }

  /** Drops the cells that wait. */
  drop(): void {
    for (const execution of this.#waiting.splice(0)) endExecution(execution, undefined);
  }

  /** Never rejects: whatever a cell comes to, the next one gets its turn. */
  async #drain(controller: NotebookController): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const running = new AbortController();
      this.#running = running;
      // As in other notebooks, what was asked for together does not go on past an error.
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
      end = await this.#openAndRun({ execution, output, controller, signal }).catch((error) => failed(output, error));
    } catch {
      // The editor takes nothing for this cell any more: it was deleted, or its notebook was closed.
    } finally {
      endExecution(execution, end.ok, end.endedAt ?? Date.now());
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
    const result = await session.run(sessionId, toRun, (event) => output.add(event), signal);
    // Showing the output takes the editor longer than many a cell takes to run.
    const endedAt = Date.now();
    await output.write(closingSteps(result, output.errorShown, session.info?.state));
    this.#cells.ran(toRun, result.report);
    if (result.report) diagnostics.show(document, toRun.code, result.report);
    await this.#showLater(result, running);
    return { ok: result.status === 'ok', endedAt };
  }

  /** What the cells before showed stays, and is no concern of the new session. */
  #forgetSession(): void {
    this.#cells.clear();
    this.#shown.clear();
  }

  /** What a deleted cell declared would be in the way of a cell that declares it anew, where cells have places. */
  async #removeDeleted(sessionId: string, running: RunningCell): Promise<void> {
    const { session } = this.#deps;
    if (!EDITOR_LANGUAGES[session.language].hasPlaces) return;
    for (const name of this.#cells.takeDeleted(running.execution.cell.notebook)) {
      const result = await session.run(sessionId, { name, code: '' }, () => {}, running.signal);
      await this.#showLater(result, running);
    }
  }

  /** Has other cells show what is said of them since a run changed what they rest on. */
  async #showLater({ report }: RunResult, { execution, controller }: RunningCell): Promise<void> {
    for (const { cell: name, report: rechecked } of report?.later ?? []) {
      const cell = this.#cells.find(execution.cell.notebook, name);
      // One that waits, or runs, shows what is true when its turn has come.
      if (!cell || [execution, ...this.#waiting].some((other) => other.cell === cell)) continue;
      if (!(await showRechecked(cell, rechecked, controller))) continue;
      this.#deps.diagnostics.show(cell.document, cell.document.getText(), rechecked);
    }
  }

  #refusal(problem: EngineProblem): OutputStep {
    this.#deps.onProblem(problem, this.#deps.session.language);
    const message = `${problem.message} ${problem.advice}`;
    return { kind: 'error', error: { name: 'No session', message, traceback: '' } };
  }
}

/** `reason` as in `it ran out of memory`. */
function lossNotice(reason: string): OutputStep {
  return notice(
    `The session before has ended: ${plainText(reason)}.\nIts variables are gone; this cell runs in a new session.`,
  );
}

/** An error of ours, or one that the engine did not expect. */
async function failed(output: CellOutput, error: unknown): Promise<CellEnd> {
  await output.write([{ kind: 'error', error: { name: 'Hothouse', message: messageOf(error), traceback: '' } }]);
  return FAILED;
}
