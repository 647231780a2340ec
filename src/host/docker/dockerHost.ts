import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Container, ContainerSummary, HostInfo, HostWithImages, ImageBuilder } from '../host.ts';
import { LABEL } from '../labels.ts';
import { imageMissing, type Problem } from '../problem.ts';
import type { ContainerSpec } from '../spec.ts';
import { buildImage } from './build.ts';
import { trimBuildCache } from './buildCache.ts';
import { Client } from './client.ts';
import { attachContainer, createContainer } from './create.ts';
import { type DockerContext, sparedBy } from './dockerContainer.ts';
import { DockerEvents, EVENT_ACTIONS } from './dockerEvents.ts';
import { imageInfo, removeImage } from './image.ts';
import { readFolder } from './imageFiles.ts';
import { hostInfo } from './info.ts';
import { PendingRemovals, removeContainer } from './pendingRemovals.ts';
import { runtimeProblem } from './runtime.ts';
import { UserIds } from './userIds.ts';
import { removeUnusedVolumes } from './volumes.ts';

/** The options of `dockerHost`. */
export interface DockerHostOptions {
  /** As in DOCKER_HOST; empty or missing: Docker is searched for. */
  readonly host?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly log: Log;
  readonly platform?: NodeJS.Platform;
  readonly clock?: Clock;
}

/** A host on a Docker Engine. It searches for Docker at the first call, and again after a lost connection. */
export function dockerHost({ host = '', env, home, log, ...rest }: DockerHostOptions): HostWithImages {
  const { platform = process.platform, clock = systemClock } = rest;
  return new DockerHost(new Client({ host, env, home, platform, clock, log }), clock, log);
}

const CLEAN_UP_MS = 2_000;
/** An abandoned creation that takes longer is left to the sweep of a later engine. Milliseconds. */
const CREATION_MS = 5_000;
const HANDSHAKE_MS = 20_000;

class DockerHost implements HostWithImages {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #events: DockerEvents;
  readonly #pendingRemovals: PendingRemovals;
  readonly #userIds: UserIds;
  readonly #closing = new AbortController();
  readonly #creating = new Set<Promise<unknown>>();
  readonly #attached = new Set<Writable>();

  readonly handshakeMs = HANDSHAKE_MS;
  readonly images: ImageBuilder;

  constructor(client: Client, clock: Clock, log: Log) {
    this.#client = client;
    this.images = {
      missing: async (use) => imageMissing(use),
      find: (tag, signal) => imageInfo(client, tag, signal),
      build: (build, onLine, signal) => buildImage(client, build, onLine, signal),
      readFolder: (tag, path, labels) => readFolder(client, tag, path, labels),
      remove: (tag) => removeImage(client, tag),
      trimCache: (maxBytes, signal) => trimBuildCache(client, maxBytes, signal),
    };
    this.#clock = clock;
    this.#events = new DockerEvents((since) => openEvents(client, since), clock, log);
    this.#pendingRemovals = new PendingRemovals(client, clock);
    this.#userIds = new UserIds(client);
  }

  info(signal?: AbortSignal): Promise<HostInfo> {
    return hostInfo(this.#client, signal);
  }

  runtimeProblem(runtime: string, signal?: AbortSignal): Promise<Problem | null> {
    return runtimeProblem(this.#client, runtime, signal);
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container> {
    const creating = this.#create(spec, signal);
    this.#creating.add(creating);
    try {
      return await creating;
    } finally {
      this.#creating.delete(creating);
    }
  }

  async attach(id: string, labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Container | null> {
    const container = await attachContainer(this.#context(), id, labels, signal);
    if (container) this.#watch(container);
    return container;
  }

  async list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ContainerSummary[]> {
    const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const containers = await this.#client.call({
      doing: 'list containers',
      signal,
      work: (docker, abortSignal) => docker.listContainers({ all: true, filters: { label }, abortSignal }),
    });
    return containers.map((found) => ({
      id: found.Id,
      labels: found.Labels,
      running: found.State === 'running',
      createdAt: found.Created * 1000,
      ...spared(found.Names),
    }));
  }

  remove(id: string): Promise<void> {
    return removeContainer(this.#client, this.#clock, id);
  }

  removeUnusedVolumes(labels: Readonly<Record<string, string>>): Promise<void> {
    return removeUnusedVolumes(this.#client, labels);
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    await Promise.race([Promise.allSettled(this.#creating), pause(this.#clock, CREATION_MS)]);
    await Promise.race([this.#pendingRemovals.settled(), pause(this.#clock, CLEAN_UP_MS)]);
    this.#events.dispose();
    this.#client.dispose();
    for (const stream of this.#attached) stream.destroy();
  }

  async #create(spec: ContainerSpec, signal: AbortSignal | undefined): Promise<Container> {
    const either = AbortSignal.any(signal ? [signal, this.#closing.signal] : [this.#closing.signal]);
    const container = await createContainer(this.#context(), spec, either);
    this.#watch(container);
    return container;
  }

  /** Closes its streams when the host is disposed. */
  #watch({ stdin }: Container): void {
    this.#attached.add(stdin);
    stdin.once('close', () => this.#attached.delete(stdin));
  }

  #context(): DockerContext {
    return {
      client: this.#client,
      events: this.#events,
      pendingRemovals: this.#pendingRemovals,
      userIds: this.#userIds,
      clock: this.#clock,
    };
  }
}

function spared(names: readonly string[]): Pick<ContainerSummary, 'spared'> {
  const by = names.map(sparedBy).find((one) => one !== null);
  return by ? { spared: by } : {};
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.schedule(ms, resolve));
}

function openEvents(client: Client, since: number | null): Promise<Readable> {
  return client.call({
    doing: 'report its events',
    work: async (docker, _, isPodman) => {
      const stream = await docker.getEvents({
        // Podman filters by names of its own before it translates them.
        filters: {
          type: ['container'],
          label: [`${LABEL.managed}=true`],
          ...(isPodman ? {} : { event: [...EVENT_ACTIONS] }),
        },
        ...(since === null ? {} : { since }),
      });
      return stream as Readable;
    },
  });
}
