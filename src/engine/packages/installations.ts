import { Readable } from 'node:stream';
import { plainText } from '../../base/log.ts';
import { checkedBundle } from '../../host/bundle.ts';
import type { ContainerNetwork } from '../../host/network.ts';
import { proxyAddress } from '../../host/proxy/rules.ts';
import type { ContainerSpec } from '../../host/spec.ts';
import type { LanguagePackages } from '../../languages/packages.ts';
import type { EngineDependencies, ImageSource } from '../deps.ts';
import type { Environment } from '../environment/environment.ts';
import type { HostManager } from '../environment/hostManager.ts';
import { installerSpec, PACKAGES } from '../environment/sandboxSpec.ts';
import { installerNetwork } from '../network/policy.ts';
import { defaultHosts, indexHosts } from '../network/registries.ts';
import type { Options } from '../options.ts';
import type { LiveInterpreter } from '../session/lifecycle.ts';
import type { Installer, InstallerEnd, InstallerFile } from './installer.ts';
import { Installers } from './installers.ts';
import { type IndexSettings, indexSettings, optionCertificates } from './machineIndex.ts';
import { ArchiveCopy, RecentBundles } from './recentBundles.ts';
import { INDEX } from './sandboxIndex.ts';
import type { AddedPackage } from './types.ts';

const MB = 1024 * 1024;
/** Reading the machine's settings starts a program. */
const SETTINGS_MS = 60_000;

/** The packages of one interpreter. */
export interface Installed {
  readonly live: LiveInterpreter;
  /** Name of its latest folder: a time in milliseconds since the epoch, so that drivers see their order. */
  latest: number;
  /** Normal name → package, to install the same again after a restart. */
  readonly added: Map<string, AddedPackage>;
  /** Names as code refers to them, which need no further installation. */
  readonly references: Set<string>;
}

/** One installation. */
export interface Installation {
  readonly environment: Environment;
  readonly packages: LanguagePackages;
  readonly options: Options;
  readonly installed: Installed;
  /** Names of packages; valid ones. */
  readonly names: readonly string[];
  readonly files: readonly InstallerFile[];
  readonly upgrade: boolean;
  /** Gets what the installer says. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How an attempt may install: code of packages runs only where it cannot change the cache. */
interface Mode {
  readonly cache: boolean;
  readonly build: boolean;
  /** Another attempt with builds follows where this one fails. */
  readonly buildsLater: boolean;
}

type Deps = Pick<EngineDependencies, 'agent' | 'clock' | 'log' | 'identity' | 'images' | 'certificates'>;

/** Makes bundles of packages, in containers of their own, and brings them into the sandboxes of sessions. */
export class Installations {
  readonly #deps: Deps;
  readonly #hosts: HostManager;
  readonly #installers: Installers;
  readonly #recent: RecentBundles;
  /** Image → hosts that its installer uses by default. */
  readonly #defaultHosts = new Map<string, readonly string[]>();
  readonly #settings = new Map<string, { readonly source: ImageSource; readonly readAt: number }>();

  constructor(deps: Deps, hosts: HostManager) {
    this.#deps = deps;
    this.#hosts = hosts;
    this.#installers = new Installers(deps);
    this.#recent = new RecentBundles(deps.clock);
  }

  /**
   * Installs with `program`. First with the cache and without code of packages, so that none can change the cache; then,
   * where that fails, without the cache and with builds. The first attempt's output counts only where it is the last.
   * Rejects with a `BundleError` or what the host rejects with.
   */
  async run(job: Installation, program: string): Promise<InstallerEnd> {
    const { cacheMb } = job.options.packages;
    const build = job.options.packages.build && job.packages.runsCode;
    if (cacheMb > 0) {
      let held = '';
      const onOutput = (text: string) => {
        held += text;
      };
      const end = await this.#attempt({ ...job, onOutput }, program, { cache: true, build: false, buildsLater: build });
      if (end.kind !== 'failed' || !build) {
        if (held) job.onOutput(held);
        return end;
      }
    }
    return this.#attempt(job, program, { cache: false, build, buildsLater: false });
  }

  /** Removes the installers that wait. Never rejects. */
  dispose(): Promise<void> {
    return this.#installers.dispose();
  }

  async #attempt(job: Installation, program: string, mode: Mode): Promise<InstallerEnd> {
    const { environment, options, installed, signal } = job;
    const { definition, image } = environment;
    const host = this.#hosts.current;
    const settings = await this.#indexSettings(job);
    const specWith = (network: ContainerNetwork) =>
      installerSpec(definition, image, mode.cache, options, this.#deps.identity, network);
    const network = await installerNetwork(
      environment.network,
      () => this.#registries(specWith('none'), job, settings),
      () => this.#source(definition.id),
    );
    const request = this.#request(job, mode, {
      ...settings,
      ...(typeof network === 'object' && { proxies: proxyAddress() }),
    });
    const key = await this.#key(job, mode, program, request);
    const known = key === null ? null : this.#recent.find(key);
    if (known) {
      job.onOutput(known.output);
      await handOver(Readable.from(known.archive), known.added, installed, options, signal);
      return { kind: 'installed', added: known.added };
    }
    let output = '';
    const onOutput = (text: string) => {
      const plain = cleaned(text);
      output += plain;
      job.onOutput(plain);
    };
    const timeoutMs = options.packages.timeoutSeconds * 1000;
    const order = { request, files: job.files, timeoutMs, onOutput, signal };
    const spec = specWith(network);
    const install = async (installer: Installer) => {
      this.#hosts.decisions.add(environment.id, installer.sandbox);
      const end = await installer.install(order);
      if (end.kind !== 'installed' || end.added.length === 0) return end;
      const archive = await installer.made(signal);
      const copy = new ArchiveCopy();
      archive.on('data', copy.add);
      await handOver(archive, end.added, installed, options, signal);
      if (key !== null && copy.parts) this.#recent.add(key, { added: end.added, archive: copy.parts, output });
      return end;
    };
    return this.#installers.use({ host, spec, program }, signal, install, mode.cache);
  }

  async #indexSettings({ environment, options }: Installation): Promise<IndexSettings> {
    return indexSettings(
      options.packages,
      await this.#source(environment.definition.id),
      await optionCertificates(options.packages, this.#deps.certificates),
    );
  }

  /** The hosts that an installer of that spec needs. */
  async #registries(
    spec: ContainerSpec,
    { options, packages, signal }: Installation,
    settings: IndexSettings,
  ): Promise<readonly string[]> {
    const { registries } = options.network;
    if (registries.length > 0) return registries;
    const configured = indexHosts(packages.manager, settings);
    if (configured.length > 0) return configured;
    const known = this.#defaultHosts.get(spec.image);
    if (known) return known;
    const asked = await defaultHosts(packages.manager, this.#hosts.current, spec, this.#deps, signal);
    this.#defaultHosts.set(spec.image, asked);
    return asked;
  }

  #request(job: Installation, mode: Mode, settings: IndexSettings) {
    const { packages, options, installed, names, files, upgrade } = job;
    const { cacheMb, maxMb, tool } = options.packages;
    return {
      ...settings,
      ...mode,
      cacheBytes: cacheMb * MB,
      maxBytes: maxMb * MB,
      tool: tool || packages.tools[0],
      packages: names,
      files: files.map(({ name }) => name),
      upgrade,
      installed: [...installed.added.values()].map(({ name, version }) => [name, version]),
    };
  }

  /** Two installations of one key make the same; null where that cannot be known. */
  async #key(job: Installation, mode: Mode, program: string, request: unknown): Promise<string | null> {
    // What code of packages makes may depend on more.
    if (mode.build || job.files.length > 0) return null;
    const { images } = this.#hosts.current;
    const image = await images?.find(job.environment.image, job.signal);
    return image ? JSON.stringify([image.id, program, request]) : null;
  }

  async #source(language: string): Promise<ImageSource> {
    const now = this.#deps.clock.now();
    const known = this.#settings.get(language);
    if (known && now - known.readAt < SETTINGS_MS) return known.source;
    const source = await this.#deps.images(language);
    this.#settings.set(language, { source, readAt: now });
    return source;
  }
}

/** Copies a bundle into the session's sandbox. Nothing of it is used before all of it is there. */
async function handOver(
  archive: Readable,
  added: readonly AddedPackage[],
  installed: Installed,
  { packages: { maxMb } }: Options,
  signal: AbortSignal,
): Promise<void> {
  const folder = String(Math.max(Date.now(), installed.latest + 1));
  // Each folder that is complete has a file of its name there; drivers look before a cell.
  const last = [`${INDEX}/${folder}`, JSON.stringify(added)] as const;
  const bundle = checkedBundle(archive, { folder, maxBytes: maxMb * MB, last });
  let broken: Error | null = null;
  bundle.once('error', (error) => {
    broken = error;
  });
  // One that is left half full is not used again, and none that another engine has made.
  installed.latest = Number(folder);
  try {
    await installed.live.lease.sandbox.putArchive(PACKAGES, bundle, signal);
  } catch (error) {
    throw broken ?? error;
  }
  if (broken) throw broken;
}

/** Without what a terminal would act on. */
function cleaned(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
