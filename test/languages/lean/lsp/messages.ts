import { MessageDecoder } from '../../../../src/languages/lean/lsp/framing.ts';

/** Turns bytes into messages, all at once. */
export class Messages {
  readonly #decoder = new MessageDecoder();

  /** The messages completed by `chunk`. */
  push(chunk: Buffer): unknown[] {
    this.#decoder.push(chunk);
    const messages: unknown[] = [];
    for (let next = this.#next(); next; next = this.#next()) messages.push(next.value);
    return messages;
  }

  #next() {
    const steps = this.#decoder.next();
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  }
}
