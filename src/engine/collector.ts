import type { CellOutput } from '../languages/language.ts';
import type { Display, RunOutput } from './types.ts';

/** What a run has shown, gathered while it is passed on live. */
export class Collector {
  readonly displays: Display[] = [];
  result: Display['data'] | null = null;
  readonly #text = { stdout: '', stderr: '' };
  readonly #limit: number;
  readonly #pass: (output: RunOutput) => void;
  #clearNext = false;

  /** Keeps and passes on at most `limit` UTF-16 units of each stream, which no text of `limit` bytes exceeds. */
  constructor(limit: number, pass: (output: RunOutput) => void) {
    this.#limit = limit;
    this.#pass = pass;
  }

  get stdout(): string {
    return this.#text.stdout;
  }

  get stderr(): string {
    return this.#text.stderr;
  }

  readonly take = (output: CellOutput): void => {
    switch (output.kind) {
      case 'stdout':
      case 'stderr':
        this.#takeText(output.kind, output.text);
        return;
      case 'display':
        this.#show(output.display);
        break;
      case 'update':
        this.#update(output.display);
        break;
      case 'clear':
        if (!output.wait) this.displays.length = 0;
        this.#clearNext = output.wait;
        break;
      case 'result':
        this.result = output.data;
        break;
      case 'error':
        break;
    }
    this.#pass(output);
  };

  #takeText(kind: 'stdout' | 'stderr', text: string): void {
    const room = this.#limit - this.#text[kind].length;
    const kept = text.length > room ? text.slice(0, room) : text;
    if (kept === '') return;
    this.#text[kind] += kept;
    this.#pass({ kind, text: kept });
  }

  #show(display: Display): void {
    if (this.#clearNext) this.displays.length = 0;
    this.#clearNext = false;
    this.displays.push(display);
  }

  #update(display: Display): void {
    for (const [index, { id }] of this.displays.entries()) if (id === display.id) this.displays[index] = display;
  }
}
