import type { Display, RunOutput, RunResult } from '../types.ts';

/** Pieces of text of one cell that keep their place among the displays; later text joins the last piece of its stream. */
const MAX_PIECES = 1_000;

/** One output of a cell. */
export type KeptOutput =
  | { readonly kind: 'stdout' | 'stderr'; text: string }
  | { readonly kind: 'display'; display: Display };

/** The outputs of a cell as a notebook shows them: in order, updated in place, and without those that were cleared. */
export class CellOutputs {
  #kept: KeptOutput[] = [];
  #clearNext = false;

  get all(): readonly KeptOutput[] {
    return this.#kept;
  }

  readonly take = (output: RunOutput): void => {
    switch (output.kind) {
      case 'stdout':
      case 'stderr':
        this.#clearIfDue();
        this.#takeText(output.kind, output.text);
        return;
      case 'display':
        this.#clearIfDue();
        this.#kept.push({ kind: 'display', display: output.display });
        return;
      case 'update':
        for (const kept of this.#kept) {
          if (kept.kind === 'display' && kept.display.id === output.display.id) kept.display = output.display;
        }
        return;
      case 'clear':
        this.#clearNext = true;
        if (!output.wait) this.#clearIfDue();
    }
  };

  #takeText(kind: 'stdout' | 'stderr', text: string): void {
    const isFull = this.#kept.length >= MAX_PIECES;
    const last = isFull ? this.#kept.findLast((kept) => kept.kind === kind) : this.#kept.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#kept.push({ kind, text });
  }

  #clearIfDue(): void {
    if (this.#clearNext) this.#kept = [];
    this.#clearNext = false;
  }
}

/** The outputs that a result has, for a run whose live output was not followed. */
export function outputsOf({ stdout, stderr, displays }: RunResult): readonly KeptOutput[] {
  const texts = [
    { kind: 'stdout' as const, text: stdout },
    { kind: 'stderr' as const, text: stderr },
  ];
  const shown = displays.map((display) => ({ kind: 'display' as const, display }));
  return [...texts.filter(({ text }) => text !== ''), ...shown];
}
