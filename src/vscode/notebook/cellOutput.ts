import { type NotebookCellExecution, NotebookCellOutput, NotebookCellOutputItem } from 'vscode';
import type { Display, RunError, RunOutput } from '../../engine/types.ts';
import { mimeItems } from './mimeItems.ts';
import { OutputBatch, type OutputStep } from './outputSteps.ts';

// Unbatched appends of a fast writer have brought the renderer down.
const BATCH_MS = 60;

/** Displays that runs may update later, by their id; one map for each notebook. */
export type ShownDisplays = Map<string, NotebookCellOutput>;

/** Writes a run's live output into a cell, in place of what the cell showed before. */
export class CellOutput {
  readonly #execution: NotebookCellExecution;
  readonly #shown: ShownDisplays;
  readonly #batch = new OutputBatch();
  #written: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #text: { readonly stream: string; readonly output: NotebookCellOutput } | undefined;
  #errorShown = false;

  constructor(execution: NotebookCellExecution, shown: ShownDisplays) {
    this.#execution = execution;
    this.#shown = shown;
    this.#enqueue([{ kind: 'clear' }]);
  }

  /** Whether an error is among the outputs. */
  get errorShown(): boolean {
    return this.#errorShown;
  }

  add(output: RunOutput): void {
    if (output.kind === 'error') this.#errorShown = true;
    this.#batch.add(output);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** Writes what is left and then `steps`; resolves when the cell shows all of it. */
  async write(steps: readonly OutputStep[]): Promise<void> {
    this.#flush();
    this.#enqueue(steps);
    await this.#written;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#enqueue(this.#batch.take());
  }

  #enqueue(steps: readonly OutputStep[]): void {
    for (const step of steps) this.#written = this.#written.then(() => this.#apply(step));
  }

  async #apply(step: OutputStep): Promise<void> {
    if (step.kind === 'text') return this.#appendText(step.stream, step.text);
    if (step.kind === 'update') return this.#update(step);
    this.#text = undefined;
    if (step.kind === 'clear') return this.#execution.clearOutput();
    const output = new NotebookCellOutput(step.kind === 'error' ? [errorItem(step.error)] : itemsOf(step.data));
    if (step.kind === 'show' && step.id !== null) this.#shown.set(step.id, output);
    await this.#execution.appendOutput(output);
  }

  async #appendText(stream: 'stdout' | 'stderr', text: string): Promise<void> {
    const item = stream === 'stdout' ? NotebookCellOutputItem.stdout(text) : NotebookCellOutputItem.stderr(text);
    if (this.#text?.stream === stream) return this.#execution.appendOutputItems(item, this.#text.output);
    const output = new NotebookCellOutput([item]);
    this.#text = { stream, output };
    await this.#execution.appendOutput(output);
  }

  async #update({ id, data }: Display): Promise<void> {
    const output = id === null ? undefined : this.#shown.get(id);
    if (output) await this.#execution.replaceOutputItems(itemsOf(data), output);
  }
}

function itemsOf(data: Display['data']): NotebookCellOutputItem[] {
  return mimeItems(data).map(({ mime, bytes }) => new NotebookCellOutputItem(bytes, mime));
}

function errorItem({ name, message, traceback }: RunError): NotebookCellOutputItem {
  return NotebookCellOutputItem.error({ name, message, ...(traceback && { stack: traceback }) });
}
