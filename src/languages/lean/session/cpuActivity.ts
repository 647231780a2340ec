import type { Clock } from '../../../base/clock.ts';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { runShell } from '../worker/leanProcess.ts';

/** Lean first gets this long to stop by itself; then its CPU time is measured `SAMPLES` times. Milliseconds. */
const GRACE_MS = 300;
const SAMPLE_MS = 300;
const SAMPLES = 4;
/** Parts of one CPU: more than `BUSY` is busy; less than `IDLE` is idle unless a thread waits for a CPU. */
const BUSY = 0.5;
const IDLE = 0.05;

/** Prints a line for each thread of Lean that has a CPU or waits for one; on a crowded machine a busy thread may wait long. */
const LIST_RUNNABLE =
  'for f in /proc/[0-9]*/task/*/stat; do { read -r stat < $f; } 2>/dev/null; case $stat in *"(lean) R "*) echo R;; esac; done';

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = deferred<void>();
  const timer = clock.schedule(ms, () => over.resolve());
  const wake = () => over.resolve();
  signal.addEventListener('abort', wake, { once: true });
  await over.promise;
  timer.dispose();
  signal.removeEventListener('abort', wake);
}

/** Waits up to 1.5 s until the sandbox uses no CPU; resolves with whether it is idle. Rejects when the sandbox is lost. */
export async function waitUntilIdle(sandbox: Sandbox, clock: Clock, signal: AbortSignal): Promise<boolean> {
  await sleep(clock, GRACE_MS, signal);
  let before = await sandbox.measure();
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await sleep(clock, SAMPLE_MS, signal);
    const after = await sandbox.measure();
    const used = (after.cpuMs - before.cpuMs) / SAMPLE_MS;
    if (used > BUSY) return false;
    if (used < IDLE && !(await runShell(sandbox, LIST_RUNNABLE))) return true;
    before = after;
  }
  return false;
}

/** How long an abandoned question may keep Lean busy: an answer in a large library takes its time. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 1_000;

/**
 * Watches the work that an abandoned question leaves in Lean. Code of a draft may be endless, and Lean does not stop such
 * code by itself; then only a new server helps. The session stays usable meanwhile.
 */
export class AbandonedWork {
  readonly #sandbox: Sandbox;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isPossible = false;
  #isWatching = false;

  /** `signal` aborts when the session ends. */
  constructor(sandbox: Sandbox, clock: Clock, signal: AbortSignal) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Whether Lean may still work on an abandoned question. */
  get isPossible(): boolean {
    return this.#isPossible;
  }

  /** Records that a question was abandoned. */
  expect(): void {
    this.#isPossible = true;
  }

  /**
   * Calls `replace` when Lean stays busy for too long while the session is unused. When the session is used meanwhile, the
   * next call starts from the beginning. Never rejects.
   */
  async watch(isUnused: () => boolean, replace: () => void): Promise<void> {
    if (!this.#isPossible || this.#isWatching) return;
    this.#isWatching = true;
    const end = await this.#watched(isUnused).catch(() => 'lost' as const);
    this.#isWatching = false;
    if (end === 'used') return;
    this.#isPossible = false;
    if (end === 'endless') replace();
  }

  async #watched(isUnused: () => boolean): Promise<'idle' | 'endless' | 'used'> {
    const until = this.#clock.now() + PATIENCE_MS;
    while (isUnused()) {
      if (await waitUntilIdle(this.#sandbox, this.#clock, this.#signal)) return isUnused() ? 'idle' : 'used';
      if (this.#clock.now() >= until) return isUnused() ? 'endless' : 'used';
      await sleep(this.#clock, PAUSE_MS, this.#signal);
    }
    return 'used';
  }
}
