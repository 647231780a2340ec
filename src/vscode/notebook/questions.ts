/** The questions of the editor to one session, one after the other: to a second at the same time it has no answer. */
export class Questions {
  #last: Promise<unknown> = Promise.resolve();

  /** Asks once every earlier question has its answer; undefined where nobody wants this one's any more by then. */
  ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const answer = this.#last.then(() => (signal.aborted ? undefined : question()));
    this.#last = answer.catch(() => {});
    return answer;
  }
}
