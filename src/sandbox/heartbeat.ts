import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** After so long without a frame from an agent that owes an answer, its host is asked about it. Milliseconds. */
export const SILENT_MS = 4_000;
/**
 * A silence after which an agent counts as gone although its container runs: it hangs. A slow machine gives it longer.
 */
export const GONE_MS = 60_000;

/** What a heartbeat works with. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Milliseconds from an answer to the next question. */
  readonly everyMs: number;
  /** Pings the agent; settles with its answer. */
  readonly ask: () => Promise<unknown>;
  /** Asks the host whether the container runs; rejects, in bounded time, when the host does not answer. */
  readonly isRunning: () => Promise<boolean>;
  /** Called once, with the reason for people, when the agent is gone or cannot be reached. */
  readonly onGone: (reason: string) => void;
}

/**
 * Pings an agent until it is disposed. On a busy machine an agent answers late: only the host can distinguish a slow
 * agent from one that is gone.
 */
export class Heartbeat implements Disposable {
  readonly #options: HeartbeatOptions;
  #timer: Disposable;
  /** Whether an answer is pending. */
  #owed = false;
  /** When the last frame of the agent arrived, by the clock. */
  #heardAt: number;
  #over = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
    this.#timer = this.#rest();
  }

  /** Whatever comes from the agent is a sign of life. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
  }

  dispose(): void {
    this.#over = true;
    this.#timer.dispose();
  }

  #rest(): Disposable {
    const { clock, everyMs } = this.#options;
    return clock.schedule(everyMs, () => this.#beat());
  }

  #beat(): void {
    const { clock, ask } = this.#options;
    this.#owed = true;
    // Silence counts from the question on.
    this.#heardAt = clock.now();
    this.#timer = this.#wait();
    const answered = () => {
      this.#owed = false;
      this.#timer.dispose();
      if (!this.#over) this.#timer = this.#rest();
    };
    void ask().then(answered, answered);
  }

  #wait(): Disposable {
    const { clock } = this.#options;
    return clock.schedule(SILENT_MS, () => {
      // After a suspension the timers of a process are due before it has read what arrived meanwhile.
      setImmediate(() => void this.#look());
    });
  }

  async #look(): Promise<void> {
    const { clock, isRunning, onGone } = this.#options;
    if (!this.#isSilent(SILENT_MS)) return this.#waitOn();
    const reason = await isRunning().then(
      (runs) => (runs ? null : 'its container does not run any more'),
      () => 'neither it nor its host answers',
    );
    if (!this.#isSilent(SILENT_MS)) return this.#waitOn();
    if (reason !== null) onGone(reason);
    else if (this.#isSilent(GONE_MS * clock.slowness()))
      onGone(`nothing was heard of it for ${(clock.now() - this.#heardAt) / 1000} s`);
    else this.#waitOn();
  }

  #waitOn(): void {
    if (!this.#over && this.#owed) this.#timer = this.#wait();
  }

  #isSilent(ms: number): boolean {
    return !this.#over && this.#owed && this.#options.clock.now() - this.#heardAt >= ms;
  }
}
