import type { Display, RunError, RunOutput } from '../../../engine/types.ts';

/** One change of a cell's outputs. */
export type OutputStep =
  | { readonly kind: 'text'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | DisplayStep
  | { readonly kind: 'error'; readonly error: RunError }
  | { readonly kind: 'clear' };

type DisplayStep = { readonly kind: 'show' | 'update' } & Display;

/**
 * Combines live output into few steps: joins adjacent text, keeps the last of several updates of a display, and drops
 * what is cleared. Each event takes constant time.
 */
export class OutputBatch {
  /** Updates from before the last clear, which may be for a display of another cell. */
  #updates = new Map<string, DisplayStep>();
  #cleared = false;
  #steps: OutputStep[] = [];
  /** Display id → index in `#steps` of its last step. */
  #places = new Map<string, number>();
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

  /** Returns the steps since the last call, in order. */
  take(): readonly OutputStep[] {
    const steps = [...this.#updates.values(), ...(this.#cleared ? [{ kind: 'clear' } as const] : []), ...this.#steps];
    this.#updates = new Map();
    this.#cleared = false;
    this.#forget();
    return steps;
  }

  #append(step: OutputStep): void {
    const last = this.#steps.at(-1);
    if (step.kind === 'text' && last?.kind === 'text' && last.stream === step.stream) {
      this.#steps[this.#steps.length - 1] = { ...step, text: last.text + step.text };
    } else if (step.kind === 'update') this.#update(step);
    else {
      if (step.kind === 'show') this.#remember(step.id);
      this.#steps.push(step);
    }
  }

  #update(step: DisplayStep): void {
    const place = step.id === null ? undefined : this.#places.get(step.id);
    const earlier = place === undefined ? undefined : this.#steps[place];
    if (place !== undefined && (earlier?.kind === 'show' || earlier?.kind === 'update')) {
      this.#steps[place] = { ...step, kind: earlier.kind };
      return;
    }
    this.#remember(step.id);
    this.#steps.push(step);
  }

  #remember(id: string | null): void {
    if (id !== null) this.#places.set(id, this.#steps.length);
  }

  #clear(): void {
    this.#clearNext = false;
    this.#cleared = true;
    for (const step of this.#steps) if (step.kind === 'update' && step.id !== null) this.#updates.set(step.id, step);
    this.#forget();
  }

  #forget(): void {
    this.#steps = [];
    this.#places = new Map();
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

/** A message of Hothouse among a cell's outputs. */
export function notice(text: string): OutputStep {
  return { kind: 'text', stream: 'stderr', text: `${text}\n` };
}
