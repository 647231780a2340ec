import { type Clock, systemClock } from '../../src/base/clock.ts';
import type {
  Container,
  ContainerSummary,
  HostInfo,
  HostWithImages,
  ImageBuild,
  ImageBuilder,
  RequiredWall,
} from '../../src/host/host.ts';
import { HostError } from '../../src/host/host.ts';
import { imageMissing, type Problem } from '../../src/host/problem.ts';
import type { ContainerSpec } from '../../src/host/spec.ts';
import type { AgentFaults } from './fakeAgent.ts';
import { FakeContainer } from './fakeContainer.ts';
import { miniLanguage, type Script } from './fakePython.ts';
import { HOLDING_WALLS } from './holdingWalls.ts';

/** The faults of a fake host; tests change them at any time. */
export interface Faults extends AgentFaults {
  /** Every creation fails with this. */
  create: Problem | null;
  /** Milliseconds that a creation takes. */
  createMs: number;
  /** Looking the host up fails with this. */
  info: Problem | null;
}

/** The settings of a fake host; each has a default. */
export interface FakeHostOptions {
  readonly images?: readonly string[];
  /** Replaces Python; by default the language of `miniLanguage`. */
  readonly script?: Script;
  readonly clock?: Clock;
  readonly faults?: Partial<Faults>;
}

/** A host in memory whose containers speak the agent's real protocol. */
export class FakeHost implements HostWithImages {
  readonly faults: Faults;
  /** The containers there are now, running or not. */
  readonly containers = new Map<string, FakeContainer>();
  /** The labels of the volumes that no container has. */
  volumes: Readonly<Record<string, string>>[] = [];
  /** Images that were built, the first one first. */
  readonly builds: ImageBuild[] = [];
  /** Requested creations, including failed ones. */
  creations = 0;
  /** Creations in progress now, and the maximum so far. */
  creating = 0;
  mostCreating = 0;
  disposed = false;
  requiredWalls: readonly RequiredWall[] = [];
  endsWithProcess = false;
  /** Of its calls of `trimCache`, in bytes. */
  readonly cacheLimits: number[] = [];
  readonly #images: Set<string>;
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  readonly #script: Script;
  readonly #clock: Clock;
  #counter = 0;

  readonly handshakeMs = 20_000;
  readonly images: ImageBuilder = {
    find: async (tag) =>
      this.#images.has(tag)
        ? { id: tag, sizeBytes: 1, createdAt: '2026-01-01T00:00:00Z', labels: this.#labels.get(tag) ?? {} }
        : null,
    missing: async (use) => imageMissing(use),
    build: async (build, onLine) => {
      this.builds.push(build);
      onLine(`built ${build.tag}`);
      this.#images.add(build.tag);
      this.#labels.set(build.tag, build.labels);
    },
    readFolder: async () => ({}),
    remove: async (tag) => {
      this.#images.delete(tag);
    },
    trimCache: async (maxBytes) => {
      this.cacheLimits.push(maxBytes);
      return 0;
    },
  };

  constructor({ images = ['hothouse/python:latest'], script, clock, faults }: FakeHostOptions = {}) {
    this.#images = new Set(images);
    this.#script = script ?? miniLanguage;
    this.#clock = clock ?? systemClock;
    this.faults = { ...NO_FAULTS, ...faults };
  }

  async info(): Promise<HostInfo> {
    this.#check();
    if (this.faults.info) throw new HostError(this.faults.info);
    return INFO;
  }

  async runtimeProblem(runtime: string): Promise<Problem | null> {
    if (runtime === INFO.defaultRuntime || /[./]/.test(runtime)) return null;
    return { kind: 'runtime_unknown', message: `There is no runtime "${runtime}".`, advice: 'Name another one.' };
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container> {
    this.creations += 1;
    this.creating += 1;
    this.mostCreating = Math.max(this.mostCreating, this.creating);
    try {
      return await this.#create(spec, signal);
    } finally {
      this.creating -= 1;
    }
  }

  async list(labels: Readonly<Record<string, string>>): Promise<ContainerSummary[]> {
    return [...this.containers.values()]
      .filter(({ spec }) => Object.entries(labels).every(([name, value]) => spec.labels[name] === value))
      .map(({ id, spec, running, createdAt, spared }) => {
        return { id, labels: spec.labels, running, createdAt, ...(spared && { spared }) };
      });
  }

  async attach(id: string, labels: Readonly<Record<string, string>>): Promise<Container | null> {
    this.#check();
    const found = this.containers.get(id);
    const isOurs = Object.entries(labels).every(([name, value]) => found?.spec.labels[name] === value);
    return found?.running && isOurs ? found.attach() : null;
  }

  async remove(id: string): Promise<void> {
    this.containers.get(id)?.die();
  }

  async removeUnusedVolumes(labels: Readonly<Record<string, string>>): Promise<void> {
    this.volumes = this.volumes.filter((of) => !Object.entries(labels).every(([name, value]) => of[name] === value));
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    // An agent without an engine exits.
    for (const container of this.containers.values()) container.stdin.end();
  }

  #check(): void {
    if (this.disposed) throw new HostError(CLOSED);
  }

  async #create(spec: ContainerSpec, signal: AbortSignal | undefined): Promise<FakeContainer> {
    this.#check();
    if (signal?.aborted) throw new HostError(CANCELLED);
    if (!this.#images.has(spec.image)) throw new HostError(missing(spec.image));
    const container = this.#add(spec);
    await this.#pause(this.faults.createMs, signal);
    const problem = signal?.aborted ? CANCELLED : this.faults.create;
    if (problem) {
      container.die();
      throw new HostError(problem);
    }
    container.running = true;
    return container;
  }

  #add(spec: ContainerSpec): FakeContainer {
    this.#counter += 1;
    const id = this.#counter.toString(16).padStart(64, '0');
    const home = { script: this.#script, clock: this.#clock, faults: this.faults };
    const container = new FakeContainer(id, spec, home, () => {
      this.containers.delete(id);
    });
    this.containers.set(id, container);
    return container;
  }

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      if (ms > 0) this.#clock.schedule(ms, resolve);
      else setImmediate(resolve);
    });
  }
}

const NO_FAULTS: Faults = {
  create: null,
  createMs: 0,
  info: null,
  diesAt: null,
  silentAt: null,
  uncleanReset: false,
  report: null,
  walls: HOLDING_WALLS,
  strayBytes: Buffer.alloc(0),
};

/** The description of a fake host. */
export const INFO: HostInfo = {
  name: 'Fake Engine 1.0 at memory',
  details: ['API 1.41', 'rootful'],
  defaultRuntime: 'runc',
  isolation: {
    memoryLimit: true,
    swapLimit: true,
    cpuLimit: true,
    processLimit: true,
    systemCallFilter: true,
    networkIsolation: true,
    readOnlyRoot: true,
    unprivilegedUser: true,
    userNamespace: false,
  },
  warnings: [],
};

const CANCELLED: Problem = { kind: 'cancelled', message: 'The call was cancelled.', advice: 'Try again.' };
const CLOSED: Problem = { kind: 'host_failed', message: 'The host has been closed.', advice: 'Start again.' };

function missing(image: string): Problem {
  const command = 'hothouse build python';
  return { kind: 'image_missing', message: `There is no image ${image}.`, advice: `Run \`${command}\`.`, command };
}
