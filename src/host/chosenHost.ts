import { type Log, messageOf } from '../base/log.ts';
import {
  type Container,
  type ContainerSummary,
  type Host,
  HostError,
  type HostInfo,
  type HostWithImages,
  type ImageBuilder,
} from './host.ts';
import type { Problem, ProblemKind } from './problem.ts';
import type { ContainerSpec } from './spec.ts';

/**
 * A host that is `preferred` where that one answers, and else `other`. It decides at the first call and then stays with the
 * decision; while neither works it decides again at each call, and rejects with both problems.
 */
export function chosenHost(preferred: HostWithImages, other: HostWithImages, log: Log): HostWithImages {
  return new ChosenHost(preferred, other, log);
}

class ChosenHost implements HostWithImages {
  readonly images: ImageBuilder;
  readonly #preferred: HostWithImages;
  readonly #other: HostWithImages;
  readonly #log: Log;
  #choosing: Promise<HostWithImages> | null = null;
  #chosen: HostWithImages | null = null;
  /** Why it is not the preferred one; null while it is. */
  #reason: Problem | null = null;

  constructor(preferred: HostWithImages, other: HostWithImages, log: Log) {
    this.#preferred = preferred;
    this.#other = other;
    this.#log = log;
    this.images = {
      find: async (tag, signal) => (await this.#choose(signal)).images.find(tag, signal),
      missing: async (use) => (await this.#choose()).images.missing(use),
      build: async (build, onLine, signal) => (await this.#choose(signal)).images.build(build, onLine, signal),
      readFolder: async (tag, path, labels) => (await this.#choose()).images.readFolder(tag, path, labels),
      remove: async (tag) => (await this.#choose()).images.remove(tag),
      trimCache: async (maxBytes, signal) => (await this.#choose(signal)).images.trimCache(maxBytes, signal),
    };
  }

  get handshakeMs(): number {
    return (this.#chosen ?? this.#preferred).handshakeMs;
  }

  get endsWithProcess(): boolean {
    return this.#chosen?.endsWithProcess ?? false;
  }

  get notStarted(): Host['notStarted'] {
    return this.#chosen?.notStarted;
  }

  get requiredWalls(): Host['requiredWalls'] {
    return (this.#chosen ?? this.#other).requiredWalls;
  }

  async info(signal?: AbortSignal): Promise<HostInfo> {
    const info = await (await this.#choose(signal)).info(signal);
    return this.#reason ? { ...info, reason: `It is used because ${lowered(this.#reason.message)}` } : info;
  }

  async runtimeProblem(runtime: string, signal?: AbortSignal): Promise<Problem | null> {
    return (await this.#choose(signal)).runtimeProblem(runtime, signal);
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<Container> {
    const host = await this.#choose(signal);
    try {
      return await host.create(spec, signal);
    } catch (error) {
      throw this.#reason && error instanceof HostError ? new HostError(inPlace(error.problem, this.#reason)) : error;
    }
  }

  async attach(id: string, labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Container | null> {
    return (await this.#choose(signal)).attach(id, labels, signal);
  }

  async list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ContainerSummary[]> {
    return (await this.#choose(signal)).list(labels, signal);
  }

  async remove(id: string): Promise<void> {
    return (await this.#choose()).remove(id);
  }

  async removeUnusedVolumes(labels: Readonly<Record<string, string>>): Promise<void> {
    return (await this.#choose()).removeUnusedVolumes(labels);
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#preferred.dispose(), this.#other.dispose()]);
  }

  /** Calls share one decision, so it does not end with the signal of one of them. */
  async #choose(signal?: AbortSignal): Promise<HostWithImages> {
    if (this.#chosen) return this.#chosen;
    if (signal?.aborted) throw new HostError(CANCELLED);
    this.#choosing ??= this.#decide().finally(() => {
      this.#choosing = null;
    });
    const cancelled = signal && aborted(signal);
    return cancelled ? Promise.race([this.#choosing, cancelled]) : this.#choosing;
  }

  async #decide(): Promise<HostWithImages> {
    const reason = await problemWith(this.#preferred);
    const chosen = reason ? this.#other : this.#preferred;
    const problem = reason && (await problemWith(this.#other));
    if (reason && problem) throw new HostError(both(reason, problem));
    if (reason) this.#log.info(`sandboxes run without a container engine: ${reason.message}`);
    this.#reason = reason;
    this.#chosen = chosen;
    return chosen;
  }
}

/** Problems that the preferred host may well not have. */
const LACKING: ReadonlySet<ProblemKind> = new Set<ProblemKind>(['image_missing', 'needs_engine', 'permission_denied']);
const CANCELLED: Problem = { kind: 'cancelled', message: 'The search for a host was cancelled.', advice: 'Try again.' };

/** Rejects when the signal aborts; a rejection that comes too late is no error. */
function aborted(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new HostError(CANCELLED)), { once: true });
  });
  rejected.catch(() => {});
  return rejected;
}

/** Null for a host that works. */
async function problemWith(host: Host): Promise<Problem | null> {
  try {
    await host.info();
    return null;
  } catch (error) {
    if (error instanceof HostError) return error.problem;
    return { kind: 'host_failed', message: messageOf(error), advice: 'See the log.' };
  }
}

/** The problem of the preferred host, with the other way out. */
function both(preferred: Problem, other: Problem): Problem {
  const instead = other.command === undefined ? other.advice : `${other.advice} Command: ${other.command}`;
  return {
    ...preferred,
    message: `${preferred.message} ${other.message}`,
    advice: `${preferred.advice} Or, without a container engine: ${lowered(instead)}`,
  };
}

/** A problem of what stands in for the preferred host: what it lacks may well be there, so this says why it is used. */
function inPlace(problem: Problem, reason: Problem): Problem {
  if (!LACKING.has(problem.kind)) return problem;
  return { ...problem, message: `${problem.message} No container engine is used: ${lowered(reason.message)}` };
}

/** As the rest of a sentence, unless it begins with a name. */
function lowered(sentence: string): string {
  return /^(A|The|There|This|No|Nothing|Install|Update|Allow|Set|Start|Use)\b/.test(sentence)
    ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    : sentence;
}
