import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Container, ContainerEnd } from '../host.ts';
import type { Client } from './client.ts';
import { type ContainerStatus, watchExit } from './containerExit.ts';
import { withDeadline } from './deadline.ts';
import { demux } from './demux.ts';
import type { DockerEvents } from './dockerEvents.ts';
import type { PendingRemovals } from './pendingRemovals.ts';
import { removeContainer } from './pendingRemovals.ts';
import { hung, unlessGone } from './problems.ts';
import type { UserIds } from './userIds.ts';

const ASK_MS = 1_000;
/** Deadline of an inspection that decides whether a sandbox is lost. */
const LIFE_MS = 2_000;

/** What the containers of one Docker Engine share. */
export interface DockerContext {
  readonly client: Client;
  readonly events: DockerEvents;
  readonly pendingRemovals: PendingRemovals;
  readonly userIds: UserIds;
  readonly clock: Clock;
}

/** A container of a Docker Engine, watched from before its start. */
export class DockerContainer implements Container {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ContainerEnd>;
  readonly #context: DockerContext;

  constructor(id: string, stream: Duplex, context: DockerContext) {
    this.id = id;
    this.#context = context;
    this.stdin = stream;
    const { stdout, stderr } = demux(stream);
    this.stdout = stdout;
    this.stderr = stderr;
    // A broken connection shows as the end of the container; without a listener the error would end the process.
    stream.on('error', () => {});
    this.ended = watchExit({
      id,
      stream,
      events: context.events.event,
      clock: context.clock,
      ask: () => this.#status(),
    });
  }

  async isRunning(): Promise<boolean> {
    const late = (ms: number) => hung('its address', 'report whether a container runs', ms);
    const deadline = { clock: this.#context.clock, ms: LIFE_MS, late };
    const status = await withDeadline(deadline, undefined, () => this.#inspect());
    return status.kind === 'running';
  }

  async remove(): Promise<void> {
    try {
      await removeContainer(this.#context.client, this.#context.clock, this.id);
    } catch (error) {
      // Rejects now; the container is removed as soon as Docker can.
      void this.#context.pendingRemovals.remove(this.id);
      throw error;
    }
  }

  async #status(): Promise<ContainerStatus> {
    const late = (ms: number) => hung('its address', 'report the state of a container', ms);
    try {
      const status = await withDeadline({ clock: this.#context.clock, ms: ASK_MS, late }, undefined, () =>
        this.#inspect(),
      );
      // Its streams cannot be attached again, so it can no longer be used.
      if (status.kind === 'running') void this.#context.pendingRemovals.remove(this.id);
      return status;
    } catch {
      return { kind: 'unknown' };
    }
  }

  #inspect(): Promise<ContainerStatus> {
    return this.#context.client.call({
      doing: 'report the state of a container',
      work: async (docker, abortSignal): Promise<ContainerStatus> => {
        const state = (await unlessGone(docker.getContainer(this.id).inspect({ abortSignal })))?.State;
        if (!state) return { kind: 'removed' };
        return state.Running ? { kind: 'running' } : { kind: 'exited', exitCode: state.ExitCode };
      },
    });
  }
}
