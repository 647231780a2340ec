import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Container, ContainerEnd } from '../host.ts';
import type { Client } from './client.ts';
import { withDeadline } from './deadline.ts';
import { demux } from './demux.ts';
import { type Fate, watchEnding } from './ending.ts';
import type { EngineEvents } from './engineEvents.ts';
import type { Leftovers } from './leftovers.ts';
import { hung, unlessGone } from './problems.ts';
import { removeContainer } from './removal.ts';
import type { UserIds } from './userIds.ts';

const ASK_MS = 1_000;
/** For a question that decides about a sandbox's life. */
const LIFE_MS = 2_000;

/** What a container on an engine works with. */
export interface Workbench {
  readonly client: Client;
  readonly events: EngineEvents;
  readonly leftovers: Leftovers;
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
  readonly #bench: Workbench;

  constructor(id: string, stream: Duplex, bench: Workbench) {
    this.id = id;
    this.#bench = bench;
    this.stdin = stream;
    const { stdout, stderr } = demux(stream);
    this.stdout = stdout;
    this.stderr = stderr;
    // A broken connection shows as the end of the container; without a listener the error would end the process.
    stream.on('error', () => {});
    this.ended = watchEnding({
      id,
      stream,
      events: bench.events.event,
      clock: bench.clock,
      ask: () => this.#fate(),
    });
  }

  async isRunning(): Promise<boolean> {
    const late = (ms: number) => hung('its address', 'tell whether a container runs', ms);
    const deadline = { clock: this.#bench.clock, ms: LIFE_MS, late };
    const fate = await withDeadline(deadline, undefined, () => this.#inspect());
    return fate.kind === 'running';
  }

  async remove(): Promise<void> {
    try {
      await removeContainer(this.#bench.client, this.#bench.clock, this.id);
    } catch (error) {
      // Told now, and done as soon as the engine lets it be done.
      void this.#bench.leftovers.remove(this.id);
      throw error;
    }
  }

  async #fate(): Promise<Fate> {
    const late = (ms: number) => hung('its address', 'tell the state of a container', ms);
    try {
      const fate = await withDeadline({ clock: this.#bench.clock, ms: ASK_MS, late }, undefined, () => this.#inspect());
      // Its streams are gone for good, so nobody can use it any more.
      if (fate.kind === 'running') void this.#bench.leftovers.remove(this.id);
      return fate;
    } catch {
      return { kind: 'unknown' };
    }
  }

  #inspect(): Promise<Fate> {
    return this.#bench.client.call({
      doing: 'tell the state of a container',
      work: async (docker, abortSignal): Promise<Fate> => {
        const state = (await unlessGone(docker.getContainer(this.id).inspect({ abortSignal })))?.State;
        if (!state) return { kind: 'removed' };
        return state.Running ? { kind: 'running' } : { kind: 'exited', exitCode: state.ExitCode };
      },
    });
  }
}
