import { randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Container,
  type ContainerSummary,
  HostError,
  type HostInfo,
  type HostWithImages,
  type ImageBuilder,
  type RequiredWall,
} from '../host.ts';
import { LABEL } from '../labels.ts';
import type { Problem } from '../problem.ts';
import type { ContainerSpec, Isolation } from '../spec.ts';
import { bubblewrapArguments } from './arguments.ts';
import { type Bubblewrap, cancelled, checkBubblewrap } from './bubblewrap.ts';
import { CompiledAgents } from './compiledAgents.ts';
import { interpreterOf } from './interpreter.ts';
import { endFirst, LocalContainer } from './localContainer.ts';
import { type EnvironmentFolders, type EnvironmentSettings, LocalEnvironments } from './localEnvironments.ts';
import { findPython3, type Python3 } from './python3.ts';
import { SandboxFiles } from './sandboxFiles.ts';
import { findScopes, type Scopes } from './scopes.ts';
import { isOld, makeFolder, removeFolder, storageError } from './storage.ts';

/** The options of `localHost`. */
export interface LocalHostOptions extends EnvironmentSettings {
  /** The user's home folder. */
  readonly home: string;
}

const RUNTIME = 'bubblewrap';
const PROGRAM = 'bwrap';
const SANDBOX_ID = /^[0-9a-f]{32}$/;
/** So long a sandbox may take from its volumes to its file. */
const NEW_MS = 60_000;
const HANDSHAKE_MS = 10_000;
/** As for Docker: far above the ids of people and services. Outside, all of them are the user's own. */
const FIRST_USER = 2 ** 30;
const END_OF_USERS = 2 ** 31 - 1;

/** What a container engine would add is the agent's work alone here. */
const REQUIRED_WALLS: readonly RequiredWall[] = ['systemCalls', 'privileges'];

const WALLS = {
  // Where no cgroup limits it, the agent counts it and ends what runs.
  memoryLimit: true,
  systemCallFilter: true,
  networkIsolation: true,
  readOnlyRoot: true,
  unprivilegedUser: true,
  userNamespace: true,
};
/** The kernel counts the processes of a user namespace, but limits those of root nowhere. */
const COUNTS_PROCESSES = process.getuid?.() !== 0;
const COUNTED_MEMORY =
  'The agent counts memory four times a second and ends runs that have too much; a cgroup would do it at once.';
const NO_CPU_LIMIT = 'CPU time of sandboxes is not limited; a cgroup would limit it.';
const NO_PROCESS_LIMIT =
  'The kernel does not limit the processes of sandboxes that root starts. Run Hothouse as an ordinary user.';
const NO_FILE_LIMIT =
  'Sandboxes may not mount folders on this machine, so the number of their files is not limited and /dev/shm allows programs.';
const NO_PROXY: Problem = {
  kind: 'spec_refused',
  message: 'The proxy that allows some hosts needs Docker.',
  advice: 'Set the option host.kind to docker, or allow no host.',
};
const DISPOSED: Problem = { kind: 'host_failed', message: 'The host was closed.', advice: 'Start the engine again.' };

/** This machine as a host, without a container engine: sandboxes are processes of this user in namespaces of their own. */
export function localHost(options: LocalHostOptions): HostWithImages {
  return new LocalHost(options);
}

/** A sandbox of this machine ended before its agent answered: it has run no program but the machine's own. */
function notStarted({ image, labels }: ContainerSpec, cause: string): Problem {
  const language = labels[LABEL.language] ?? labels[LABEL.environment];
  const again = language === undefined ? '' : `, and build the environment again with \`hothouse build ${language}\``;
  return {
    kind: 'host_failed',
    message: `A sandbox of image ${image} did not start: ${cause}.`,
    advice: `Check that python3 starts on this machine${again}.`,
  };
}

/** What this machine can do. */
interface Readiness extends Bubblewrap {
  readonly scopes: Scopes;
  readonly python3: Python3;
}

class LocalHost implements HostWithImages {
  readonly handshakeMs = HANDSHAKE_MS;
  readonly endsWithProcess = true;
  readonly requiredWalls = REQUIRED_WALLS;
  readonly notStarted = notStarted;
  readonly images: ImageBuilder;
  readonly #environments: LocalEnvironments;
  readonly #files: SandboxFiles;
  readonly #agents: CompiledAgents;
  readonly #folder: string;
  readonly #volumes: string;
  readonly #living = new Map<string, LocalContainer>();
  #check: Promise<Readiness> | null = null;
  #isDisposed = false;

  constructor(options: LocalHostOptions) {
    const folder = join(options.home, '.hothouse', 'local');
    this.#folder = folder;
    this.#files = new SandboxFiles(join(folder, 'sandboxes'));
    this.#environments = new LocalEnvironments(join(folder, 'environments'), options, this.#files, () => this.#ready());
    this.#agents = new CompiledAgents(join(folder, 'agents'));
    this.images = this.#environments;
    this.#volumes = join(folder, 'volumes');
  }

  async info(signal?: AbortSignal): Promise<HostInfo> {
    const { version, mounts, scopes, python3 } = await this.#ready(signal);
    const isolation = isolationWith(scopes);
    return {
      name: `Bubblewrap ${version} on this machine`,
      details: [
        'no container engine',
        ...(scopes.scopeOf ? ['cgroups by systemd'] : []),
        ...(python3.version === null
          ? []
          : [`python3 ${python3.version} at ${python3.path}, the newest that works here`]),
      ],
      defaultRuntime: RUNTIME,
      isolation,
      warnings: [
        ...(scopes.held.memory ? [] : [COUNTED_MEMORY]),
        ...(scopes.held.cpu ? [] : [NO_CPU_LIMIT]),
        ...(isolation.processLimit ? [] : [NO_PROCESS_LIMIT]),
        ...(scopes.problem === null ? [] : [scopes.problem]),
        ...(mounts === 'limited' ? [] : [NO_FILE_LIMIT]),
        ...python3.skipped,
        ...(await this.#environments.olderThan(python3)),
      ],
    };
  }

  async runtimeProblem(runtime: string): Promise<Problem | null> {
    if (runtime === RUNTIME) return null;
    return {
      kind: 'runtime_unknown',
      message: `There is no runtime "${runtime}" without a container engine.`,
      advice: 'Leave the option docker.runtime empty, or set the option host.kind to docker.',
    };
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container> {
    await this.#ready(signal);
    const problem = spec.runtime === null ? null : await this.runtimeProblem(spec.runtime);
    if (problem) throw new HostError(problem);
    const environment = await this.#environments.foldersOf(spec.image);
    if (environment === null) throw new HostError(await this.images.missing(spec));
    if (typeof spec.network === 'object') throw new HostError(NO_PROXY);
    const id = randomBytes(16).toString('hex');
    try {
      const volumes = await this.#makeVolumes(id, spec);
      return await this.#start(id, spec, environment, volumes, signal);
    } catch (error) {
      await this.#forget(id).catch(() => {});
      throw storageError(error, this.#folder);
    }
  }

  /** A sandbox ends with the process that has started it, so there is none to attach to. */
  async attach(): Promise<Container | null> {
    await this.#ready();
    return null;
  }

  async list(labels: Readonly<Record<string, string>>): Promise<ContainerSummary[]> {
    const wanted = Object.entries(labels);
    const found = await this.#files.list();
    return found
      .filter((sandbox) => wanted.every(([name, value]) => sandbox.labels[name] === value))
      .map(({ id, labels: all, createdAt }) => ({ id, labels: all, createdAt, running: true }));
  }

  async remove(id: string): Promise<void> {
    const own = this.#living.get(id);
    if (own) return own.remove();
    const found = await this.#files.find(id);
    // Its bubblewrap ends with it.
    if (found) await endFirst(found);
    await this.#forget(id);
  }

  /** Those of sandboxes whose process was killed before it could remove them; and folders of replaced environments. */
  async removeUnusedVolumes(): Promise<void> {
    const [environments, volumes] = await Promise.all([this.#environments.unused(), this.#unusedVolumes()]);
    const removals = [...environments.map(removeFolder), ...volumes.map((id) => this.#forget(id))];
    // One that cannot be removed must not keep the others.
    const failed = (await Promise.allSettled(removals)).find((removal) => removal.status === 'rejected');
    if (failed) throw storageError(failed.reason, this.#folder);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#living.values()].map((container) => container.remove()));
  }

  async #start(
    id: string,
    spec: ContainerSpec,
    environment: EnvironmentFolders,
    volumes: ReadonlyMap<string, string>,
    signal?: AbortSignal,
  ): Promise<LocalContainer> {
    const user = spec.user ?? randomInt(FIRST_USER, END_OF_USERS);
    const { mounts, scopes, python3 } = await this.#ready(signal);
    const interpreter = await interpreterOf(environment, python3);
    const scope = scopes.scopeOf?.(id, spec);
    // A cgroup counts what is used, so that what is only reserved needs no limit.
    const limited = scopes.held.memory ? { ...spec, reservesMemory: true } : spec;
    const folders = { ...environment, volumes, cgroup: scope?.folder ?? null };
    const args = bubblewrapArguments(limited, user, folders, mounts, interpreter.program);
    const command = scope?.command(PROGRAM, args) ?? { program: PROGRAM, args };
    const container = await LocalContainer.start(id, command, {
      volumes,
      compiled: async (agent) => (interpreter.compiler ? this.#agents.of(agent, interpreter.compiler) : agent),
      cleanUp: () => this.#end(id),
    });
    // Of one that has ended already nothing is left to be found.
    if (container.first === null) return container;
    this.#living.set(id, container);
    try {
      const { pid, startedAt } = container.first;
      const folders = [environment.environment, environment.base].flatMap((folder) => folder ?? []);
      await this.#files.add(id, { labels: { ...spec.labels }, createdAt: Date.now(), pid, startedAt, folders });
      if (signal?.aborted) throw new HostError(cancelled());
      if (this.#isDisposed) throw new HostError(DISPOSED);
    } catch (error) {
      await container.remove();
      throw error;
    }
    return container;
  }

  async #end(id: string): Promise<void> {
    this.#living.delete(id);
    await this.#forget(id);
  }

  async #forget(id: string): Promise<void> {
    await this.#files.remove(id);
    await removeFolder(join(this.#volumes, id));
  }

  /** The ids of sandboxes that have ended and left volumes. */
  async #unusedVolumes(): Promise<string[]> {
    const unused: string[] = [];
    for (const id of await readdir(this.#volumes).catch(() => [])) {
      const isLeft = SANDBOX_ID.test(id) && (await isOld(join(this.#volumes, id), NEW_MS));
      if (isLeft && !(await this.#files.find(id))) unused.push(id);
    }
    return unused;
  }

  /** The folder of each volume, by its path in the sandbox. */
  async #makeVolumes(id: string, { volumes }: ContainerSpec): Promise<ReadonlyMap<string, string>> {
    const made = volumes.map(async ({ path, name, isWritable }, index): Promise<[string, string]> => {
      const folder = join(this.#volumes, ...(name === null ? [id, String(index)] : ['named', name]));
      await makeFolder(isWritable ? join(folder, 'data') : folder);
      return [path, folder];
    });
    return new Map(await Promise.all(made));
  }

  /** What bubblewrap and systemd can do here, which is looked at once unless something is wrong. */
  async #ready(signal?: AbortSignal): Promise<Readiness> {
    if (this.#isDisposed) throw new HostError(DISPOSED);
    if (signal?.aborted) throw new HostError(cancelled());
    this.#check ??= look();
    return this.#check.catch((error: unknown) => {
      this.#check = null;
      throw error;
    });
  }
}

/** Rejects with an error for people where bubblewrap, or the machine's Python, is missing. */
async function look(): Promise<Readiness> {
  const checking = checkBubblewrap(PROGRAM);
  const finding = findPython3(checking);
  // What is wrong with bubblewrap comes first.
  finding.catch(() => {});
  const [bubblewrap, scopes] = await Promise.all([checking, findScopes()]);
  return { ...bubblewrap, scopes, python3: await finding };
}

function isolationWith({ held }: Scopes): Isolation {
  return { ...WALLS, swapLimit: held.swap, cpuLimit: held.cpu, processLimit: held.processes || COUNTS_PROCESSES };
}
