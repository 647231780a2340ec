/** Work that can pause at each `yield` and returns a `T`. */
export type Steps<T = void> = Generator<void, T, void>;

/** Time that all such work together gets in one turn of the event loop, in milliseconds. */
const SLICE_MS = 8;
/** Less than this is not worth a turn of the event loop for itself: it counts until a later turn. */
const LITTLE_MS = 1;

interface Job {
  readonly steps: Steps;
  readonly fail: (error: unknown) => void;
}

/** Runs steps in slices of the event loop's turns, so that timers and connections are served in between. */
class Slices {
  readonly #jobs: Job[] = [];
  #spentMs = 0;
  #isDue = false;
  #isWorking = false;

  /** Starts at once. Rejects with the error of a step. */
  run<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ steps: reporting(steps, resolve), fail: reject });
      this.#work();
    });
  }

  #work(): void {
    // A step can start other work, which waits for it.
    if (this.#isWorking) return;
    this.#isWorking = true;
    const start = performance.now();
    const until = start + SLICE_MS - this.#spentMs;
    let now = start;
    while (now < until && this.#step()) now = performance.now();
    this.#spentMs += now - start;
    this.#isWorking = false;
    if (this.#isDue || (this.#jobs.length === 0 && this.#spentMs < LITTLE_MS)) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#spentMs = 0;
      // The job at the front yields to the next one.
      const first = this.#jobs.shift();
      if (first) this.#jobs.push(first);
      if (this.#jobs.length > 0) this.#work();
    });
  }

  /** False when no work is left. */
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

function* reporting<T>(steps: Steps<T>, done: (value: T) => void): Steps {
  done(yield* steps);
}

/** The slices of this process, which has one event loop. */
export const slices = new Slices();
