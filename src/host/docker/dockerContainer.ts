import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Container, ContainerEnd, OtherLimits } from '../host.ts';
import type { DecisionLog } from '../proxy/decisions.ts';
import { getArchive, putArchive } from './archive.ts';
import type { Client } from './client.ts';
import { type ContainerStatus, watchExit } from './containerExit.ts';
import { processorLimits } from './createOptions.ts';
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

/** Deadline of the last bytes to a container that is left. */
const DETACH_MS = 1_000;
/** Labels cannot be changed, so the name says who a spared container belongs to. */
const SPARED_NAME = /^\/hothouse-spared-(\d+)-(.+)-[0-9a-f]{12}$/;

function sparedName(owner: string, seconds: number): string {
  return `hothouse-spared-${seconds}-${owner}-${randomBytes(6).toString('hex')}`;
}

/** What a container's name, as in Docker's lists, says of who spares it. */
export function sparedBy(name: string): { readonly owner: string; readonly seconds: number } | null {
  const [, seconds, owner] = SPARED_NAME.exec(name) ?? [];
  return seconds === undefined || owner === undefined ? null : { owner, seconds: Number(seconds) };
}

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
  readonly decisions: DecisionLog | undefined;
  readonly #context: DockerContext;
  readonly #stream: Duplex;
  #isLeft = false;

  constructor(id: string, stream: Duplex, context: DockerContext, decisions?: DecisionLog) {
    this.id = id;
    this.decisions = decisions;
    this.#context = context;
    this.#stream = stream;
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
    const late = (ms: number) => hung('The container engine', 'report whether a container runs', ms);
    const deadline = { clock: this.#context.clock, ms: LIFE_MS, late };
    const status = await withDeadline(deadline, undefined, () => this.#inspect());
    return status.kind === 'running';
  }

  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void> {
    return putArchive(this.#context.client, this.id, path, archive, signal);
  }

  getArchive(path: string, signal?: AbortSignal): Promise<Readable> {
    return getArchive(this.#context.client, this.id, path, signal);
  }

  async limit({ memoryBytes, cpus }: OtherLimits): Promise<boolean> {
    return this.#context.client.call({
      doing: 'change the limits of a container',
      work: async (docker, abortSignal, isPodman) => {
        // Its API for this came with version 4.3 and has other fields.
        if (isPodman) return false;
        await docker.getContainer(this.id).update({
          ...(memoryBytes !== undefined && { Memory: memoryBytes, MemorySwap: memoryBytes }),
          ...(cpus !== undefined && processorLimits(cpus)),
          abortSignal,
        });
        return true;
      },
    });
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

  async detach(): Promise<void> {
    this.#isLeft = true;
    if (this.#stream.destroyed) return;
    const closed = once(this.#stream, 'close').catch(() => {});
    // What was written is with Docker by then; without `StdinOnce` the container's stdin stays open.
    const late = this.#context.clock.schedule(DETACH_MS, () => this.#stream.destroy());
    this.#stream.end(() => this.#stream.destroy());
    await closed;
    late.dispose();
  }

  async spare(owner: string, seconds: number): Promise<void> {
    const name = sparedName(owner, seconds);
    await this.#context.client.call({
      doing: 'rename a container',
      work: (docker, abortSignal) => docker.getContainer(this.id).rename({ name, abortSignal }),
    });
  }

  async #status(): Promise<ContainerStatus> {
    const late = (ms: number) => hung('The container engine', 'report the state of a container', ms);
    try {
      const status = await withDeadline({ clock: this.#context.clock, ms: ASK_MS, late }, undefined, () =>
        this.#inspect(),
      );
      // What it has sent is lost, so it can no longer be used.
      if (status.kind === 'running' && !this.#isLeft) void this.#context.pendingRemovals.remove(this.id);
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
