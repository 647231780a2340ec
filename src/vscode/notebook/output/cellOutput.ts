import { type NotebookCellExecution, NotebookCellOutput, NotebookCellOutputItem } from 'vscode';
import { messageOf, plainText } from '../../../base/log.ts';
import type { Display, RunError, RunOutput } from '../../../engine/types.ts';
import { mimeItems } from './mimeItems.ts';
import { notice, OutputBatch, type OutputStep } from './outputSteps.ts';
import type { ShownDisplays } from './shownDisplays.ts';
import { TerminalText } from './terminalText.ts';

// Without batches, a fast writer crashes the renderer.
const BATCH_MS = 60;
/** Steps that VS Code gets in one turn of the event loop. */
const SLICE = 50;
/** Maximum number of outputs in a cell; VS Code shows no more than 500. */
const MAX_OUTPUTS = 500;
/** Characters above which only the end of a stream's text is written again when the cursor moves. */
const MAX_REWRITTEN = 200_000;

type Stream = 'stdout' | 'stderr';

/** The output that a stream goes to, and its text. */
interface StreamOutput {
  readonly output: NotebookCellOutput;
  readonly text: TerminalText;
}

/** What an output has beside its items. */
interface OutputFacts {
  /** Of a display that can be updated. */
  readonly id?: string | null;
  readonly metadata?: ConstructorParameters<typeof NotebookCellOutput>[1];
}

/** Replaces a cell's outputs by the live output of a run. No output makes it fail. */
export class CellOutput {
  readonly #execution: NotebookCellExecution;
  readonly #shown: ShownDisplays;
  readonly #batch = new OutputBatch();
  /** Never rejects. */
  #written: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** The latest output of each stream. */
  readonly #texts = new Map<Stream, StreamOutput>();
  /** The latest output. */
  #last: NotebookCellOutput | undefined;
  #outputs = 0;
  #omitted = 0;
  #errorShown = false;
  #isFrozen = false;

  /** With `keeps` the outputs that the cell has stay. */
  constructor(execution: NotebookCellExecution, shown: ShownDisplays, { keeps = false } = {}) {
    this.#execution = execution;
    this.#shown = shown;
    if (!keeps) this.#enqueue([{ kind: 'clear' }]);
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

  /** Writes pending output and then `steps`, also beyond the maximum; resolves when the cell shows everything. */
  async write(steps: readonly OutputStep[]): Promise<void> {
    this.#flush();
    await this.#written;
    if (this.#omitted > 0) this.#enqueue([tooMany(this.#omitted)]);
    this.#omitted = 0;
    this.#outputs = 0;
    this.#enqueue(steps);
    await this.#written;
  }

  /** Writes pending output, and nothing from then on: another window continues. */
  freeze(): void {
    this.#flush();
    this.#isFrozen = true;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#enqueue(this.#batch.take());
  }

  #enqueue(steps: readonly OutputStep[]): void {
    if (this.#isFrozen) return;
    for (let at = 0; at < steps.length; at += SLICE) {
      const slice = steps.slice(at, at + SLICE);
      // VS Code batches calls made together; one by one, each step takes 10 ms.
      this.#written = this.#written.then(() => this.#applyAll(slice));
    }
  }

  async #applyAll(slice: readonly OutputStep[]): Promise<void> {
    await Promise.all(slice.map((step) => this.#try(step)));
    // Steps that change nothing would otherwise block the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Applies a step; a failed step becomes a notice in its place. */
  async #try(step: OutputStep): Promise<void> {
    try {
      await this.#apply(step);
    } catch (error) {
      await this.#appendFailure(error);
    }
  }

  async #appendFailure(error: unknown): Promise<void> {
    if (this.#isFull()) return;
    this.#outputs += 1;
    const reason = plainText(messageOf(error)).slice(0, 200);
    try {
      await this.#appendText('stderr', `An output could not be shown: ${reason}\n`);
    } catch {
      // The cell or its notebook is gone.
    }
  }

  /** Throws or rejects when VS Code does not accept the step. */
  #apply(step: OutputStep): Thenable<void> | undefined {
    switch (step.kind) {
      case 'clear':
        return this.#clear();
      case 'text':
        return this.#appendText(step.stream, step.text);
      case 'error':
        return this.#append(() => [errorItem(step.error)], { metadata: savedError(step.error) });
      case 'show':
        return this.#append(() => itemsOf(step), { id: step.id });
      case 'update':
        return this.#update(step);
    }
  }

  #clear(): Thenable<void> {
    this.#texts.clear();
    this.#last = undefined;
    this.#outputs = 0;
    this.#omitted = 0;
    return this.#execution.clearOutput();
  }

  #appendText(stream: Stream, text: string): Thenable<void> {
    const current = this.#texts.get(stream);
    // Text is never omitted: at the maximum number of outputs it is appended to an earlier one.
    if (current && (current.output === this.#last || this.#outputs >= MAX_OUTPUTS)) {
      return this.#writeText(stream, current, text);
    }
    const shown = new TerminalText();
    shown.write(text);
    return this.#addText(stream, shown);
  }

  async #writeText(stream: Stream, { output, text }: StreamOutput, written: string): Promise<void> {
    if (text.write(written) === 'appended') {
      if (text.added !== '') await this.#execution.appendOutputItems(textItem(stream, text.added), output);
      return;
    }
    const settled = text.text.length > MAX_REWRITTEN && this.#outputs < MAX_OUTPUTS ? text.takeSettled() : '';
    if (settled === '') return this.#execution.replaceOutputItems(textItem(stream, text.text), output);
    const added = this.#addText(stream, text);
    await Promise.all([this.#execution.replaceOutputItems(textItem(stream, settled), output), added]);
  }

  #addText(stream: Stream, text: TerminalText): Thenable<void> {
    const output = new NotebookCellOutput([textItem(stream, text.text)]);
    this.#texts.set(stream, { output, text });
    return this.#add(output);
  }

  #append(items: () => NotebookCellOutputItem[], { id = null, metadata }: OutputFacts): Thenable<void> | undefined {
    if (id !== null) this.#shown.delete(id);
    if (this.#isFull()) return undefined;
    const output = new NotebookCellOutput(items(), metadata);
    if (id !== null) this.#shown.set(id, output);
    return this.#add(output);
  }

  #add(output: NotebookCellOutput): Thenable<void> {
    this.#outputs += 1;
    this.#last = output;
    return this.#execution.appendOutput(output);
  }

  #update(display: Display): Thenable<void> | undefined {
    const output = display.id === null ? undefined : this.#shown.get(display.id);
    return output && this.#execution.replaceOutputItems(itemsOf(display), output);
  }

  /** Whether the cell is full; if so, counts an omitted output. */
  #isFull(): boolean {
    if (this.#outputs < MAX_OUTPUTS) return false;
    this.#omitted += 1;
    return true;
  }
}

function textItem(stream: Stream, text: string): NotebookCellOutputItem {
  return stream === 'stdout' ? NotebookCellOutputItem.stdout(text) : NotebookCellOutputItem.stderr(text);
}

function tooMany(omitted: number): OutputStep {
  return notice(`A cell shows at most ${MAX_OUTPUTS} outputs; the last ${omitted} are omitted.`);
}

/** Throws when VS Code can show no representation. An empty display with an id is a placeholder for an update. */
function itemsOf({ data, id }: Display): NotebookCellOutputItem[] {
  const items = mimeItems(data).map(({ mime, bytes }) => new NotebookCellOutputItem(bytes, mime));
  const isPlaceholder = id !== null && Object.keys(data).length === 0;
  if (items.length === 0 && !isPlaceholder) throw new Error('it has no supported MIME type.');
  return items;
}

function errorItem({ name, message, traceback }: RunError): NotebookCellOutputItem {
  return NotebookCellOutputItem.error({ name, message, ...(traceback && { stack: traceback }) });
}

/** The lines of a traceback for a saved notebook. Of its own accord VS Code saves each with a line break, and then shows two. */
function savedError({ traceback }: RunError): OutputFacts['metadata'] {
  return traceback ? { originalError: { traceback: traceback.split('\n') } } : undefined;
}
