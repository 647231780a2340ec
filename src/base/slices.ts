/** Work that may pause at each `yield`, and comes to a `T`. */
export type Steps<T = void> = Generator<void, T, void>;

/** What all such work together takes of one turn of the event loop, in ms; a single step takes little. */
const SLICE_MS = 8;

interface Job {
  readonly steps: Steps;
  readonly fail: (error: unknown) => void;
}

/**
 * Runs steps at once, and in later turns of the event loop what does not fit into this one: however much there is to do,
 * timers and connections are served in between.
 */
class Slices {
  readonly #jobs: Job[] = [];
  #spentMs = 0;
  #isDue = false;
  #isWorking = false;

  /** Starts at once. Rejects with what a step throws. */
  run<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ steps: noting(steps, resolve), fail: reject });
      this.#work();
    });
  }

  #work(): void {
    // A step may start other work, which waits for it.
    if (this.#isWorking) return;
    this.#isWorking = true;
    const start = performance.now();
    const until = start + SLICE_MS - this.#spentMs;
    let now = start;
    while (now < until && this.#step()) now = performance.now();
    this.#spentMs += now - start;
    this.#isWorking = false;
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#spentMs = 0;
      // Whoever came last has waited longest by now.
      const first = this.#jobs.shift();
      if (first) this.#jobs.push(first);
      if (this.#jobs.length > 0) this.#work();
    });
  }

  /** False when nothing is left to do. */
  #step(): boolean {
    const [job] = this.#jobs;
    if (!job) return false;
    try {
      if (job.steps.next().done) this.#remove(job);
    } catch (error) {
      this.#remove(job);
      job.fail(error);
    }
    return true;
  }

  #remove(job: Job): void {
    this.#jobs.splice(this.#jobs.indexOf(job), 1);
  }
}

function* noting<T>(steps: Steps<T>, done: (value: T) => void): Steps {
  done(yield* steps);
}

/** Those of this process: it has one event loop. */
export const slices = new Slices();
