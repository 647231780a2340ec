import type { CellOutput } from '../../languages/language.ts';
import type { Display, RunOutput } from '../types.ts';

/** Displays that one run keeps; it drops more until the run clears them. */
const MAX_DISPLAYS = 1_000;

/** Collects the output of a run and passes it on live. */
export class OutputCollector {
  readonly displays: Display[] = [];
  /** Displays that were dropped. */
  leftOut = 0;
  /** Indexes in `displays` by display id. */
  readonly #places = new Map<string, number[]>();
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
        if (!this.#show(output.display)) return;
        break;
      case 'update':
        this.#update(output.display);
        break;
      case 'clear':
        if (!output.wait) this.#clear();
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

  /** Whether there is room for the display. */
  #show(display: Display): boolean {
    if (this.#clearNext) this.#clear();
    this.#clearNext = false;
    if (this.displays.length >= MAX_DISPLAYS) {
      this.leftOut += 1;
      return false;
    }
    const place = this.displays.push(display) - 1;
    if (display.id !== null) this.#places.set(display.id, [...(this.#places.get(display.id) ?? []), place]);
    return true;
  }

  #update(display: Display): void {
    for (const place of this.#places.get(display.id ?? '') ?? []) this.displays[place] = display;
  }

  #clear(): void {
    this.displays.length = 0;
    this.#places.clear();
  }
}
