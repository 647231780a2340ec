import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import type { ContainerEnd } from '../host.ts';
import type { DockerEvent } from './dockerEvents.ts';

/** What Docker says of a container when it is asked. */
export type ContainerStatus =
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'removed' }
  | { readonly kind: 'unknown' };

/** Where the end of one container shows. */
export interface ExitSources {
  readonly id: string;
  readonly stream: Duplex;
  readonly events: Event<DockerEvent>;
  readonly clock: Clock;
  /** Asks Docker; never rejects, and answers within a second. */
  readonly ask: () => Promise<ContainerStatus>;
}

// Either sign may come first; the other follows at once, so this passes in full only when something is broken.
const OTHER_SOURCE_MS = 500;
const OOM_TO_EXIT_NS = 2_000_000_000n;
const SIGKILL_STATUS = 137;

/**
 * Resolves once, when the container has ended or the connection to it is gone: at most two seconds after the first sign.
 * What the container said before its end has arrived by then.
 */
export function watchExit({ id, stream, events, clock, ask }: ExitSources): Promise<ContainerEnd> {
  const ended = deferred<ContainerEnd>();
  const watching = new DisposableStack();
  const finish = (end: ContainerEnd) => {
    watching.dispose();
    ended.resolve(end);
  };
  const exit = new ExitTracker();
  let closed = false;
  const onClose = () => {
    closed = true;
    if (exit.end) finish(exit.end);
    else
      watching.add(
        clock.schedule(OTHER_SOURCE_MS, () => void ask().then((status) => finish(exit.end ?? toContainerEnd(status)))),
      );
  };
  const onEvent = (event: DockerEvent) => {
    if (event.id !== id || exit.end) return;
    const end = exit.take(event);
    if (!end) return;
    if (closed) finish(end);
    else watching.add(clock.schedule(OTHER_SOURCE_MS, () => finish(end)));
  };
  watching.add(events(onEvent));
  stream.once('close', onClose);
  watching.add(toDisposable(() => stream.off('close', onClose)));
  return ended.promise;
}

/** Reads a container's death from the events that lead to it. */
class ExitTracker {
  end: ContainerEnd | null = null;
  #outOfMemoryAt: bigint | null = null;
  #killed = false;

  /** The end, once an event has shown it. */
  take({ action, at, exitCode }: DockerEvent): ContainerEnd | null {
    if (action === 'oom') this.#outOfMemoryAt = at;
    if (action === 'kill') this.#killed = true;
    if (action === 'destroy') this.end = toContainerEnd({ kind: 'removed' });
    if (action === 'die') this.end = this.#died(exitCode, at);
    return this.end;
  }

  #died(exitCode: number | null, at: bigint): ContainerEnd {
    // Docker's `oom` may be about any process of the container; the first process's own end is near and by SIGKILL.
    const near = this.#outOfMemoryAt !== null && at - this.#outOfMemoryAt <= OOM_TO_EXIT_NS;
    if (exitCode === SIGKILL_STATUS && near && !this.#killed) {
      return { exitCode, oomKilled: true, reason: 'it ran out of memory' };
    }
    const reason = this.#killed ? 'it was stopped from outside' : `its first process ended with status ${exitCode}`;
    return { exitCode, oomKilled: false, reason };
  }
}

function toContainerEnd(status: ContainerStatus): ContainerEnd {
  if (status.kind === 'exited') {
    const reason = `its first process ended with status ${status.exitCode}`;
    return { exitCode: status.exitCode, oomKilled: false, reason };
  }
  const reason = status.kind === 'removed' ? 'it was removed' : 'the connection to the Docker Engine was lost';
  return { exitCode: null, oomKilled: false, reason };
}
