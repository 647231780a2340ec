import type { RunOutput } from '../engine/types.ts';
import { readableText } from './delivery/readableText.ts';

const BATCH_MS = 50;
/** Characters of one message. Of a longer text only the end is sent; the result has all of it. */
const MAX_MESSAGE = 16_384;

/** Sends live output as progress notifications, at most one every 50 ms; `progress` counts the characters so far. */
export class OutputProgress {
  readonly #send: (progress: number, message: string) => void;
  #pending = '';
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (progress: number, message: string) => void) {
    this.#send = send;
  }

  add(output: RunOutput): void {
    if (output.kind !== 'stdout' && output.kind !== 'stderr') return;
    this.#characters += output.text.length;
    this.#pending = (this.#pending + output.text).slice(-MAX_MESSAGE);
    this.#timer ??= setTimeout(() => this.end(), BATCH_MS);
  }

  /** Sends pending output; call it before the result is sent. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === '') return;
    const message = readableText(this.#pending);
    this.#pending = '';
    this.#send(this.#characters, message);
  }
}
