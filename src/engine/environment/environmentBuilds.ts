import { messageOf } from '../../base/log.ts';
import type { Host, ImageBuilder } from '../../host/host.ts';
import { HostError } from '../../host/host.ts';
import { LABEL } from '../../host/labels.ts';
import type { EngineDependencies, ImageSource } from '../deps.ts';
import type { Options } from '../options.ts';
import {
  buildIndexSettings,
  indexSettings,
  optionCertificates,
  UnreadableCertificates,
} from '../packages/machineIndex.ts';
import { cancelled, invalidRequest, noEnvironmentBuilder, problemOf } from '../problems.ts';
import type { Result } from '../types.ts';
import { type EnvironmentDefinition, EnvironmentLock, environmentImage } from './definition.ts';
import { contextOf, type EnvironmentImage, LOCK_FOLDER } from './dockerfile.ts';

const MEGABYTE = 1_048_576;

/** An image of an environment, and what it was built from. */
export interface BuiltImage {
  readonly image: string;
  readonly lock: EnvironmentLock;
}

/** What one build needs. */
export interface EnvironmentBuildRequest {
  readonly host: Host;
  readonly definition: EnvironmentDefinition;
  /** The image it is built on. */
  readonly base: string;
  readonly hash: string;
  readonly lock: EnvironmentLock | undefined;
  /** Where packages come from. */
  readonly packages: Options['packages'];
  readonly deadlineMs: number;
  /** Bytes that builds may keep for later ones. */
  readonly cacheBytes: number;
}

interface Building {
  readonly listeners: Set<(line: string) => void>;
  readonly stop: AbortController;
  readonly result: Promise<BuiltImage>;
}

/** The builds of environments in progress. Requests for the same image share one build. */
export class EnvironmentBuilds {
  readonly #deps: Pick<EngineDependencies, 'images' | 'identity' | 'log' | 'certificates'>;
  readonly #building = new Map<string, Building>();

  constructor(deps: Pick<EngineDependencies, 'images' | 'identity' | 'log' | 'certificates'>) {
    this.#deps = deps;
  }

  /**
   * Builds the image, unless the host has it already, on the same base. The build ends when every request for it was
   * cancelled.
   */
  async build(
    request: EnvironmentBuildRequest,
    onLine: (line: string) => void,
    signal?: AbortSignal,
  ): Promise<Result<BuiltImage>> {
    if (signal?.aborted) return { ok: false, error: cancelled() };
    const tag = environmentImage(request.hash);
    const building = this.#building.get(tag) ?? this.#start(tag, request);
    // Each request has a listener of its own, also where two pass the same function.
    const listener = (line: string) => onLine(line);
    building.listeners.add(listener);
    const leave = () => {
      building.listeners.delete(listener);
      if (building.listeners.size === 0) building.stop.abort();
    };
    const left = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new HostError({ ...cancelled(), kind: 'cancelled' })), {
        once: true,
      });
    });
    try {
      return { ok: true, value: await Promise.race([building.result, left]) };
    } catch (error) {
      if (error instanceof UnreadableCertificates) {
        return { ok: false, error: invalidRequest(error.message, 'Correct the option.') };
      }
      return { ok: false, error: problemOf(error) };
    } finally {
      leave();
    }
  }

  #start(tag: string, request: EnvironmentBuildRequest): Building {
    const listeners = new Set<(line: string) => void>();
    const stop = new AbortController();
    const onLine = (line: string) => {
      for (const listener of listeners) listener(line);
    };
    const result = this.#build(tag, request, onLine, stop.signal);
    const building = { listeners, stop, result };
    this.#building.set(tag, building);
    const forget = () => {
      if (this.#building.get(tag) === building) this.#building.delete(tag);
    };
    // A stopped build must not be joined.
    stop.signal.addEventListener('abort', forget, { once: true });
    result.then(forget, forget);
    return building;
  }

  async #build(
    tag: string,
    { host, definition, base, lock, packages, deadlineMs, cacheBytes }: EnvironmentBuildRequest,
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<BuiltImage> {
    const { images } = host;
    if (!images) throw new HostError({ ...noEnvironmentBuilder(), kind: 'build_failed' });
    const on = await images.find(base, signal);
    if (!on) throw new HostError(await images.missing(useOf(base, definition)));
    const earlier = await images.find(tag, signal);
    if (earlier?.labels[LABEL.base] !== idLabel(on.id)) {
      if (lock && lock.base !== on.id) onLine(`The lock was made on another image than ${base} is now.`);
      const image: EnvironmentImage = { definition, base, lock };
      const labels = {
        [LABEL.managed]: 'true',
        [LABEL.language]: definition.language,
        [LABEL.base]: idLabel(on.id),
      };
      const context = contextOf(image, await this.#source(packages));
      try {
        await images.build({ ...context, tag, labels, hasMounts: true, deadlineMs }, onLine, signal);
      } finally {
        await this.#trimCache(images, cacheBytes);
      }
    }
    return { image: tag, lock: await this.#lockOf(images, tag, on.id) };
  }

  /** The scripts, with the settings of the machine and of the options. */
  async #source(packages: Options['packages']): Promise<ImageSource> {
    const source = await this.#deps.images('environment');
    const certificates = await optionCertificates(packages, this.#deps.certificates);
    return { ...source, ...buildIndexSettings(source, indexSettings(packages, source, certificates)) };
  }

  /** Also after a failed build, which has kept downloads. Never rejects. */
  async #trimCache(images: ImageBuilder, maxBytes: number): Promise<void> {
    try {
      const freed = await images.trimCache(maxBytes);
      if (freed > 0) this.#deps.log.info(`removed ${Math.ceil(freed / MEGABYTE)} MB of the builds' cache`);
    } catch (error) {
      this.#deps.log.warn(`the builds' cache was not trimmed: ${messageOf(error)}`);
    }
  }

  async #lockOf(images: ImageBuilder, tag: string, base: string): Promise<EnvironmentLock> {
    const { machine, owner } = this.#deps.identity;
    const labels = { [LABEL.managed]: 'true', [LABEL.machine]: machine, [LABEL.owner]: owner };
    const { pip, npm, nuget, apt } = await images.readFolder(tag, LOCK_FOLDER, labels);
    const parsed = EnvironmentLock.safeParse({ base, pip, npm, nuget, apt });
    if (parsed.success) return parsed.data;
    const { message, advice } = invalidRequest(
      `The image ${tag} does not say what it was built from.`,
      'Remove the image and create the environment again.',
    );
    throw new HostError({ kind: 'build_failed', message, advice });
  }
}

/** Docker's ids have a prefix that labels cannot have. */
function idLabel(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 63);
}

function useOf(base: string, { language, base: chosen }: EnvironmentDefinition) {
  return { image: base, labels: chosen === '' ? { [LABEL.environment]: language } : {} };
}
