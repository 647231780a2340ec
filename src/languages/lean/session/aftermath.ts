import type { Clock } from '../../../base/clock.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { isBusy, sleep } from './cpuActivity.ts';

/** What a question that was given up may go on computing: an answer in a large library takes its time. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 1_000;

/**
 * Looks whether Lean comes to an end with what a question has left it to do. Code of a draft may be endless, and Lean
 * does not let go of such code by itself; then a new server is the only way. The session can be used meanwhile.
 */
export class Aftermath {
  readonly #sandbox: Sandbox;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isExpected = false;
  #isLooking = false;

  /** `signal` aborts when the session is over. */
  constructor(sandbox: Sandbox, clock: Clock, signal: AbortSignal) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Whether Lean may be at work on what a question has left. */
  get isExpected(): boolean {
    return this.#isExpected;
  }

  /** A question was given up. */
  expect(): void {
    this.#isExpected = true;
  }

  /**
   * Calls `replace` when Lean goes on for too long while the session is idle all the time; when something begins, the
   * next look begins anew. Never rejects.
   */
  async look(isIdle: () => boolean, replace: () => void): Promise<void> {
    if (!this.#isExpected || this.#isLooking) return;
    this.#isLooking = true;
    const end = await this.#watch(isIdle).catch(() => 'gone' as const);
    this.#isLooking = false;
    if (end === 'disturbed') return;
    this.#isExpected = false;
    if (end === 'endless') replace();
  }

  async #watch(isIdle: () => boolean): Promise<'calm' | 'endless' | 'disturbed'> {
    const until = this.#clock.now() + PATIENCE_MS;
    while (isIdle()) {
      if (!(await isBusy(this.#sandbox, this.#clock, this.#signal))) return isIdle() ? 'calm' : 'disturbed';
      if (this.#clock.now() >= until) return isIdle() ? 'endless' : 'disturbed';
      await sleep(this.#clock, PAUSE_MS, this.#signal);
    }
    return 'disturbed';
  }
}
