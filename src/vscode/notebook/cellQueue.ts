import type { NotebookCell, NotebookCellExecution, NotebookController } from 'vscode';
import { messageOf } from '../../base/log.ts';
import type { EngineProblem } from '../../engine/types.ts';
import { CellOutput, type ShownDisplays } from './cellOutput.ts';
import { closingSteps, notice, type OutputStep } from './outputSteps.ts';
import type { NotebookSession } from './session.ts';

const INTERRUPTED = notice('Interrupted before the session was open.');
const REPLACED = notice('The session that this notebook had was closed; this cell runs in a new one.');

/** How a cell ended; `endedAt` in ms since the epoch, where its code ran. */
interface CellEnd {
  readonly ok: boolean;
  readonly endedAt?: number;
}

const FAILED: CellEnd = { ok: false };

/** Runs a notebook's cells one after the other, as they were asked for. */
export class CellQueue {
  readonly #session: NotebookSession;
  readonly #onProblem: (problem: EngineProblem) => void;
  readonly #shown: ShownDisplays = new Map();
  #waiting: NotebookCellExecution[] = [];
  #running: AbortController | undefined;

  /** `onProblem` gets what kept a session from being opened. */
  constructor(session: NotebookSession, onProblem: (problem: EngineProblem) => void) {
    this.#session = session;
    this.#onProblem = onProblem;
  }

  add(cells: readonly NotebookCell[], controller: NotebookController): void {
    this.#waiting.push(...cells.map((cell) => controller.createNotebookCellExecution(cell)));
    if (!this.#running) void this.#drain();
  }

  /** Interrupts the cell that runs and drops those that wait. */
  interrupt(): void {
    this.drop();
    this.#running?.abort();
    // What runs may be an agent's, with the cell waiting behind it.
    void this.#session.interrupt();
  }

  /** Drops the cells that wait. */
  drop(): void {
    for (const execution of this.#waiting.splice(0)) execution.end(undefined);
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const running = new AbortController();
      this.#running = running;
      // As in other notebooks, what was asked for together does not go on past an error.
      if (!(await this.#runCell(next, running.signal))) this.drop();
    }
    this.#running = undefined;
  }

  async #runCell(execution: NotebookCellExecution, signal: AbortSignal): Promise<boolean> {
    execution.start(Date.now());
    const output = new CellOutput(execution, this.#shown);
    const { ok, endedAt } = await this.#runInSession(execution, output, signal).catch(async (error: unknown) => {
      const words = { name: 'Hothouse', message: messageOf(error), traceback: '' };
      await output.write([{ kind: 'error', error: words }]);
      return FAILED;
    });
    execution.end(ok, endedAt ?? Date.now());
    return ok;
  }

  async #runInSession(execution: NotebookCellExecution, output: CellOutput, signal: AbortSignal): Promise<CellEnd> {
    const opened = await this.#session.open(signal);
    if (!opened.ok) {
      await output.write(signal.aborted ? [INTERRUPTED] : [this.#refusal(opened.error)]);
      return FAILED;
    }
    execution.executionOrder = this.#session.nextOrder();
    if (opened.replaced) await output.write([REPLACED]);
    const code = execution.cell.document.getText();
    const result = await this.#session.run(opened.id, code, (event) => output.add(event), signal);
    // Showing the output takes the editor longer than many a cell takes to run.
    const endedAt = Date.now();
    await output.write(closingSteps(result, output.errorShown, this.#session.info?.state));
    return { ok: result.status === 'ok', endedAt };
  }

  #refusal(problem: EngineProblem): OutputStep {
    this.#onProblem(problem);
    const message = `${problem.message} ${problem.advice}`;
    return { kind: 'error', error: { name: 'No session', message, traceback: '' } };
  }
}
