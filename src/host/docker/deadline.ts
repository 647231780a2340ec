import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';
import { cancelled } from './problems.ts';

/** How long work may take, and the error when it takes longer. */
export interface Deadline {
  readonly clock: Clock;
  /** Milliseconds; more on a slow machine. */
  readonly ms: number;
  /** `ms` is the deadline that applied. */
  readonly late: (ms: number) => Problem;
}

/**
 * Runs `work` and settles as it does, or rejects with a `HostError` at once when the deadline passes or `signal`
 * aborts, even if the work ignores the signal that it receives.
 */
export async function withDeadline<T>(
  { clock, ms, late }: Deadline,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new HostError(cancelled());
  const controller = new AbortController();
  const cut = deferred<never>();
  const stop = (problem: Problem) => {
    cut.reject(new HostError(problem));
    controller.abort();
  };
  const given = ms * clock.slowness();
  const timer = clock.schedule(given, () => stop(late(given)));
  const onAbort = () => stop(cancelled());
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(controller.signal), cut.promise]);
  } finally {
    timer.dispose();
    signal?.removeEventListener('abort', onAbort);
  }
}
