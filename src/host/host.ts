import type { Readable, Writable } from 'node:stream';
import type { ImageUse, Problem } from './problem.ts';
import type { DecisionLog } from './proxy/decisions.ts';
import type { ContainerSpec, Isolation } from './spec.ts';

/** How a container ended. */
export interface ContainerEnd {
  /** Exit status of its first process, or null when the host does not know it (removed, connection lost). */
  readonly exitCode: number | null;
  /** The host reports that the kernel killed its first process for memory. */
  readonly oomKilled: boolean;
  /** For logs: `it was removed`. */
  readonly reason: string;
}

/** Limits other than those of a container's spec; what is missing stays. */
export interface OtherLimits {
  readonly memoryBytes?: number;
  /** CPUs, fractions allowed. */
  readonly cpus?: number;
}

/** A started container with its streams attached; it removes itself when its first process ends. */
export interface Container {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Diagnostics of the agent itself, never of a run. */
  readonly stderr: Readable;
  /** Resolves once, when the container has ended or was removed. Never rejects. */
  readonly ended: Promise<ContainerEnd>;
  /** What its proxy has decided; missing where it has none. */
  readonly decisions?: DecisionLog | undefined;
  /** Whether its first process runs, as the host reports it. Rejects in bounded time when the host does not answer. */
  isRunning(): Promise<boolean>;
  /**
   * Unpacks a tar archive, with the owners and modes that it has, in the folder `path` of one of its volumes. Its user sees
   * each file as it arrives.
   */
  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void>;
  /** Packs what is at `path` in one of its volumes; read it to its end or destroy it. */
  getArchive(path: string, signal?: AbortSignal): Promise<Readable>;
  /** Changes its limits until its end; resolves with whether the host can. Missing where no host of its kind can. */
  limit?(limits: OtherLimits): Promise<boolean>;
  /**
   * The agent's program (`loadAgent`), compiled for it where that can be done outside; else the same. Missing: it compiles it.
   */
  compiled?(agent: Buffer): Promise<Buffer>;
  /** Kills and removes it; resolves when it is gone, also when it already was. */
  remove(): Promise<void>;
  /** Sends what was written and closes the streams; the container lives on. Never rejects. */
  detach(): Promise<void>;
  /**
   * Makes `owner`, a value of its label, the owner that counts from now on, whatever the label says. When that owner has
   * ended, sweeps spare the container for so long: another process may attach to it.
   */
  spare(owner: string, seconds: number): Promise<void>;
}

/** A container that the host knows, ours by label. */
export interface ContainerSummary {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly running: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The last `Container.spare`. */
  readonly spared?: { readonly owner: string; readonly seconds: number };
}

/** The description of a host. */
export interface HostInfo {
  /** For people: `Docker Engine 20.10.24 at unix:///var/run/docker.sock`. */
  readonly name: string;
  /** More for people, in short: `API 1.41`, `rootless`. */
  readonly details: readonly string[];
  /** The OCI runtime of sandboxes whose spec names none. */
  readonly defaultRuntime: string;
  /** What a sandbox's isolation consists of here. */
  readonly isolation: Isolation;
  /** A sentence that says why it was chosen, where it was not the first choice. */
  readonly reason?: string;
  /** What makes isolation weaker or runs slower than it could be, one sentence each with the next step. */
  readonly warnings: readonly string[];
}

/** An image of a host. */
export interface ImageInfo {
  readonly id: string;
  readonly sizeBytes: number;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** An image to build: a folder with a Dockerfile. */
export interface ImageBuild {
  readonly tag: string;
  /** Path of the folder that is sent as the build's context. */
  readonly context: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** More files for the context: path in it → text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders for the context, of any size: path in it → path of a folder whose contents go there. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Name of the image that it adds packages to, as its Dockerfile says; missing where it is no environment. */
  readonly base?: string;
  /** Its Dockerfile mounts caches and other stages into steps; then a host needs BuildKit. */
  readonly hasMounts?: boolean;
  /** Milliseconds it may take; 30 minutes when left out. */
  readonly deadlineMs?: number;
}

/** Builds and inspects images; every promise of `Host` about calls holds for these too. */
export interface ImageBuilder {
  /** Null when there is no image of that name. */
  find(tag: string, signal?: AbortSignal): Promise<ImageInfo | null>;
  /** That there is no such image, with what can be done about it here. */
  missing(use: ImageUse): Promise<Problem>;
  /** `onLine` gets the build's output. Rejects with `build_failed` and the last line when a step fails. */
  build(build: ImageBuild, onLine: (line: string) => void, signal?: AbortSignal): Promise<void>;
  /** The files of a folder in an image, by name, each as text; empty when it has no such folder. At most 16 MB. */
  readFolder(tag: string, path: string, labels: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** Removes the name, and the image if it has no other one; resolves also when there is none. */
  remove(tag: string): Promise<void>;
  /**
   * Removes what builds of environments have left for later builds, the least recently used first, until it takes at most
   * `maxBytes`; nothing of other builds. Resolves with the bytes that were freed.
   */
  trimCache(maxBytes: number, signal?: AbortSignal): Promise<number>;
}

/** A wall that only the agent builds on some hosts. */
export type RequiredWall = 'systemCalls' | 'privileges';

/**
 * A place where sandboxes run. Every call has its own deadline and rejects with a `HostError` that carries a `Problem`;
 * a failed call leaves nothing partly created.
 */
export interface Host {
  /** Connects to the host and returns its description. */
  info(signal?: AbortSignal): Promise<HostInfo>;
  /** Why sandboxes cannot run with that OCI runtime; null when they can, or when only a start would show it. */
  runtimeProblem(runtime: string, signal?: AbortSignal): Promise<Problem | null>;
  /** Null on a host that runs images and does not build them. */
  readonly images: ImageBuilder | null;
  /** Milliseconds that an agent has from the start of its container to its handshake, on a machine that is not slow. */
  readonly handshakeMs: number;
  /** Its containers end with this process, so that none can be attached to later; missing: they live on. */
  readonly endsWithProcess?: boolean | undefined;
  /** Why a container ended before its agent answered; `cause` is what is known of it. Missing: its image is not usable. */
  readonly notStarted?: ((spec: ContainerSpec, cause: string) => Problem) | undefined;
  /** Walls that the agent must report, beside the network, before any code runs; missing: none. */
  readonly requiredWalls?: readonly RequiredWall[] | undefined;
  /** Creates, attaches and starts a container. Never pulls an image. */
  create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container>;
  /**
   * Attaches to a running container that carries every one of `labels`; null when there is none of that id. What the
   * container writes while nothing is attached is lost.
   */
  attach(id: string, labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Container | null>;
  /** The containers, running or not, that carry every one of `labels`. */
  list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ContainerSummary[]>;
  /** Kills and removes a container by id; resolves also when it is already gone. */
  remove(id: string): Promise<void>;
  /**
   * Removes the volumes that carry every one of `labels` and that no container has, running or not: those of containers
   * that someone removed without them. Volumes that are kept under a name stay.
   */
  removeUnusedVolumes(labels: Readonly<Record<string, string>>): Promise<void>;
  /** Ends connections; containers stay. */
  dispose(): Promise<void>;
}

/** A host that builds images too. */
export type HostWithImages = Host & { readonly images: ImageBuilder };

/** Thrown by a host for every failure outside this program. */
export class HostError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}
