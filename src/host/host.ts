import type { Readable, Writable } from 'node:stream';
import type { Event } from '../base/event.ts';
import type { Problem } from './problem.ts';
import type { ContainerSpec } from './spec.ts';

/** How a container's life ended, as the host tells it. */
export interface ContainerEnd {
  /** Exit status of its first process, or null when the host cannot tell (removed, connection lost). */
  readonly exitCode: number | null;
  /** The host says that the kernel killed its first process for memory. */
  readonly oomKilled: boolean;
  /** Words for a log. */
  readonly reason: string;
}

/** A started container with its streams attached; it removes itself when its first process ends. */
export interface Container {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Diagnostics of the agent itself, never of a run. */
  readonly stderr: Readable;
  /** Resolves once, when the container has ended or was removed by anybody. Never rejects. */
  readonly ended: Promise<ContainerEnd>;
  /** Whether its first process runs, as the host tells it. Rejects in bounded time when the host does not answer. */
  isRunning(): Promise<boolean>;
  /** Bytes of memory it uses now, as the host accounts them. */
  memoryBytes(signal?: AbortSignal): Promise<number>;
  /** Kills and removes it; resolves when it is gone, also when it already was. */
  remove(): Promise<void>;
}

/** A container that the host knows, ours by label. */
export interface ContainerSummary {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly running: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A limit that a host may be unable to set. */
export type SandboxLimit = 'memory' | 'swap' | 'CPU' | 'processes';

/** What a host is and whether it can be used. */
export interface HostInfo {
  /** For people: `Docker Engine 20.10.24 at unix:///var/run/docker.sock`. */
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly runtimes: readonly string[];
  readonly defaultRuntime: string;
  readonly rootless: boolean;
  /** Root in a container is somebody without rights outside it. */
  readonly userNamespaces: boolean;
  readonly seccomp: boolean;
  readonly cgroupVersion: string;
  readonly operatingSystem: string;
  readonly runcVersion: string | null;
  /** Version of Docker Desktop, or null when the engine is no part of one. */
  readonly desktopVersion: string | null;
  /** The limits of a sandbox that the engine says it cannot set. */
  readonly missingLimits: readonly SandboxLimit[];
}

/** What is known of an image, or null when the host has none by that name. */
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
}

/**
 * A place where sandboxes are made. Every call has a deadline of its own and rejects with a `HostError` that carries a
 * `Problem`; a call that failed leaves nothing half made.
 */
export interface Host {
  /** Looks the host up and asks it what it is. */
  info(signal?: AbortSignal): Promise<HostInfo>;
  image(tag: string, signal?: AbortSignal): Promise<ImageInfo | null>;
  /** Builds an image; `onLine` gets the build's output. */
  buildImage(build: ImageBuild, onLine: (line: string) => void, signal?: AbortSignal): Promise<void>;
  /** Creates, attaches and starts a container. Never pulls an image. */
  create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container>;
  /** The containers, running or not, that carry every one of `labels`. */
  list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ContainerSummary[]>;
  /** Kills and removes a container by id; resolves also when it is already gone. */
  remove(id: string): Promise<void>;
  /** Fires with a container's id when one that carries our label was removed or died. */
  readonly onDidEnd: Event<string>;
  /** Ends connections; containers stay. */
  dispose(): Promise<void>;
}

/** Thrown by a host for everything that can go wrong outside this program. */
export class HostError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}
