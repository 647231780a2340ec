import type { InputPrompt, OnInput } from '../language.ts';

/** A question as an interpreter sends it; `key` tells it from the run's other questions. */
export interface InputQuestion extends InputPrompt {
  readonly key: number;
}

/** Passes the questions of one run to its caller, one at a time: a later question withdraws an earlier one. */
export class InputQuestions {
  readonly #onInput: OnInput;
  readonly #answer: (key: number, text: string | null) => void;
  #next: InputQuestion | null = null;
  #asking: AbortController | null = null;
  #isOver = false;

  constructor(onInput: OnInput, answer: (key: number, text: string | null) => void) {
    this.#onInput = onInput;
    this.#answer = answer;
  }

  ask(question: InputQuestion): void {
    if (this.#isOver) return;
    this.#next = question;
    if (this.#asking) this.#asking.abort();
    else void this.#askAll();
  }

  /** Withdraws the open question: the run has ended. */
  end(): void {
    this.#isOver = true;
    this.#next = null;
    this.#asking?.abort();
  }

  async #askAll(): Promise<void> {
    for (let question = this.#next; question; question = this.#next) {
      this.#next = null;
      this.#asking = new AbortController();
      const { signal } = this.#asking;
      const { key, text, isSecret } = question;
      const answer = await this.#onInput({ text, isSecret }, signal).catch(() => null);
      if (!signal.aborted) this.#answer(key, answer);
    }
    this.#asking = null;
  }
}
