import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** How the engines of a user on this machine tell each other which environments they use. */
export interface UseBoard {
  /** Tells the others that this engine uses an environment now. Never throws. */
  announce(environment: string): void;
  /** Calls when another engine uses an environment, until disposed. */
  follow(listener: (environment: string) => void): Disposable;
}

/** What turns need of the environments of their engine. */
interface Environments {
  /** Whether requests wait for a sandbox of this environment. */
  isWaiting(environment: string): boolean;
  /** Gives up the warm sandboxes of an environment until its next use. */
  rest(environment: string): void;
}

/** An engine that has not used an environment for as long leaves warm sandboxes to the one that has, in milliseconds. */
export const QUIET_MS = 60_000;
/** Of an environment in steady use the others are told this often: less than `QUIET_MS`, and not at every call. */
const ANNOUNCE_MS = 20_000;

/**
 * Lets several engines of a user keep about as many warm sandboxes as one: the engine that has used an environment last
 * keeps them. Engines that use it at the same time all do, since taking turns would make every run a cold one.
 */
export class WarmTurns implements Disposable {
  readonly #board: UseBoard;
  readonly #clock: Clock;
  readonly #environments: Environments;
  readonly #following: Disposable;
  readonly #used = new Map<string, number>();
  readonly #announced = new Map<string, number>();
  /** Environments that another engine uses, while this one's last use is recent. */
  readonly #waiting = new Map<string, Disposable>();

  constructor(board: UseBoard, clock: Clock, environments: Environments) {
    this.#board = board;
    this.#clock = clock;
    this.#environments = environments;
    this.#following = board.follow((environment) => this.#othersUse(environment));
  }

  /** Counts a use of an environment by this engine. */
  use(environment: string): void {
    const now = this.#clock.now();
    this.#used.set(environment, now);
    // An engine that was the last user until now must hear of this use.
    const isFirstSinceOthers = this.#forget(environment);
    const isRecent = now - (this.#announced.get(environment) ?? -ANNOUNCE_MS) < ANNOUNCE_MS;
    if (isRecent && !isFirstSinceOthers) return;
    this.#announced.set(environment, now);
    this.#board.announce(environment);
  }

  dispose(): void {
    this.#following.dispose();
    for (const timer of this.#waiting.values()) timer.dispose();
    this.#waiting.clear();
  }

  #othersUse(environment: string): void {
    this.#forget(environment);
    const { isWaiting, rest } = this.#environments;
    const now = this.#clock.now();
    if (isWaiting(environment)) this.#used.set(environment, now);
    const left = (this.#used.get(environment) ?? -QUIET_MS) + QUIET_MS - now;
    if (left <= 0) {
      // The next use is told at once.
      this.#announced.delete(environment);
      rest(environment);
    } else {
      this.#waiting.set(
        environment,
        this.#clock.schedule(left, () => this.#othersUse(environment)),
      );
    }
  }

  /** Forgets that others have used an environment; whether they had. */
  #forget(environment: string): boolean {
    this.#waiting.get(environment)?.dispose();
    return this.#waiting.delete(environment);
  }
}
