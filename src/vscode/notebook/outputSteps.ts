import type { Display, RunError, RunOutput } from '../../engine/types.ts';

/** One change of a cell's outputs. */
export type OutputStep =
  | { readonly kind: 'text'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | ({ readonly kind: 'show' | 'update' } & Display)
  | { readonly kind: 'error'; readonly error: RunError }
  | { readonly kind: 'clear' };

/** Gathers a run's live output into few steps: neighbouring text becomes one, and what is cleared again is dropped. */
export class OutputBatch {
  #steps: OutputStep[] = [];
  #clearNext = false;

  add(output: RunOutput): void {
    if (output.kind === 'clear') {
      this.#clearNext = output.wait;
      if (!output.wait) this.#clear();
      return;
    }
    const step = stepOf(output);
    if (this.#clearNext && step.kind !== 'update') this.#clear();
    this.#append(step);
  }

  /** The steps since the last call, in order. */
  take(): readonly OutputStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  #append(step: OutputStep): void {
    const last = this.#steps.at(-1);
    if (step.kind === 'text' && last?.kind === 'text' && last.stream === step.stream) {
      this.#steps[this.#steps.length - 1] = { ...step, text: last.text + step.text };
    } else {
      this.#steps.push(step);
    }
  }

  #clear(): void {
    this.#clearNext = false;
    // Updates stay: they may be for what another cell shows.
    this.#steps = [...this.#steps.filter(({ kind }) => kind === 'update'), { kind: 'clear' }];
  }
}

function stepOf(output: Exclude<RunOutput, { kind: 'clear' }>): OutputStep {
  switch (output.kind) {
    case 'stdout':
    case 'stderr':
      return { kind: 'text', stream: output.kind, text: output.text };
    case 'display':
      return { kind: 'show', ...output.display };
    case 'update':
      return { kind: 'update', ...output.display };
    case 'result':
      return { kind: 'show', data: output.data, id: null };
    case 'error':
      return { kind: 'error', error: output.error };
  }
}

/** A line of ours among a cell's outputs. */
export function notice(text: string): OutputStep {
  return { kind: 'text', stream: 'stderr', text: `${text}\n` };
}
