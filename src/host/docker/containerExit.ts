import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import type { ContainerEnd } from '../host.ts';
import type { DockerEvent } from './dockerEvents.ts';

/** The state of a container as Docker reports it. */
export type ContainerStatus =
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'removed' }
  | { readonly kind: 'unknown' };

/** The sources that report the exit of one container. */
export interface ExitSources {
  readonly id: string;
  readonly stream: Duplex;
  readonly events: Event<DockerEvent>;
  readonly clock: Clock;
  /** Asks Docker; never rejects, and answers within a second. */
  readonly ask: () => Promise<ContainerStatus>;
}

// Either source may report first; the other one follows at once unless something is broken.
const OTHER_SOURCE_MS = 500;
const OOM_TO_EXIT_NS = 2_000_000_000n;
const SIGKILL_STATUS = 137;

/**
 * Resolves once, when the container has exited or its connection is lost: at most two seconds after the first report.
 * All output of the container has arrived by then.
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

/** Derives a container's exit from its events. */
class ExitTracker {
  end: ContainerEnd | null = null;
  #outOfMemoryAt: bigint | null = null;
  #killed = false;

  /** The exit, once an event has reported it. */
  take({ action, at, exitCode }: DockerEvent): ContainerEnd | null {
    if (action === 'oom') this.#outOfMemoryAt = at;
    if (action === 'kill') this.#killed = true;
    if (action === 'destroy') this.end = toContainerEnd({ kind: 'removed' });
    if (action === 'die') this.end = this.#died(exitCode, at);
    return this.end;
  }

  #died(exitCode: number | null, at: bigint): ContainerEnd {
    // Docker's `oom` may be about any process of the container; the first process then exits soon, by SIGKILL.
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
