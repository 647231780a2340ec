import type { Display, RunError, RunOutput, RunResult, SessionState } from '../../engine/types.ts';

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

/**
 * What a run's end adds to its live output: what was cut, an error that was not shown yet, and what was lost.
 * `state` is the session's, undefined when it was closed.
 */
export function closingSteps(result: RunResult, errorShown: boolean, state?: SessionState): readonly OutputStep[] {
  const { error, sessionLost, truncated } = result;
  const steps: OutputStep[] = [];
  if (truncated) {
    steps.push(notice(`Output was cut: ${cutWords(result)}. The setting hothouse.limits.outputKb sets the limit.`));
  }
  if (error && !errorShown) steps.push({ kind: 'error', error });
  // The traceback is there already; that the session is lost was not known then.
  else if (error && sessionLost) steps.push({ kind: 'error', error: { ...error, traceback: '' } });
  if (sessionLost && (state === undefined || state === 'ended')) steps.push(OVER);
  return steps;
}

const OVER = notice('The next cell that you run starts a new interpreter: run first the cells that it needs.');

/** A line of ours among a cell's outputs. */
export function notice(text: string): OutputStep {
  return { kind: 'text', stream: 'stderr', text: `${text}\n` };
}

function cutWords({ stdoutBytes, stderrBytes }: RunResult): string {
  const streams = [
    stdoutBytes > 0 ? `${kilobytes(stdoutBytes)} written to stdout` : '',
    stderrBytes > 0 ? `${kilobytes(stderrBytes)} written to stderr` : '',
  ].filter(Boolean);
  return streams.join(', ') || 'a display was too large';
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
