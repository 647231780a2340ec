import { basename } from 'node:path/posix';
import { plainText } from '../../base/log.ts';
import { BundleError, checkedBundle, emptyFile } from '../../host/bundle.ts';
import type { LanguagePackages } from '../../languages/packages.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { EngineDependencies } from '../deps.ts';
import type { Environment } from '../environment/environment.ts';
import type { HostManager } from '../environment/hostManager.ts';
import { INSTALLER_FOLDER, installerSpec, PACKAGES } from '../environment/sandboxSpec.ts';
import type { Options } from '../options.ts';
import { cancelled, invalidRequest, problemOf } from '../problems.ts';
import type { LiveInterpreter } from '../session/lifecycle.ts';
import type { Session } from '../session/session.ts';
import type { EngineProblem, Result } from '../types.ts';
import { type InstallerEnd, type InstallerFile, type InstallerRun, runInstaller } from './installer.ts';
import { indexSettings } from './machineIndex.ts';
import { packageName, packageProblem } from './packageName.ts';
import { policyProblem } from './policy.ts';
import { failed, noInstaller, tooLargeBundle, unsupported } from './problems.ts';
import type { AddedPackage, InstallReport, InstallRequest } from './types.ts';

const MB = 1024 * 1024;
const MAX_PACKAGES = 200;

/** The packages of one session. */
interface Installed {
  /** The interpreter that has them. */
  readonly live: LiveInterpreter;
  /** Name of its latest folder: a time in milliseconds since the epoch, so that drivers see their order. */
  latest: number;
  /** Normal name → package, to install the same again after a restart. */
  readonly added: Map<string, AddedPackage>;
}

/** Where packages go; the caller has the session's turn. */
export interface InstallPlace {
  readonly session: Session;
  readonly live: LiveInterpreter;
  readonly environment: Environment;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** An installation that may begin. */
interface Job extends InstallPlace {
  readonly request: InstallRequest;
  readonly packages: LanguagePackages;
  readonly options: Options;
  readonly installed: Installed;
}

type Deps = Pick<EngineDependencies, 'agent' | 'clock' | 'log' | 'identity' | 'images' | 'installers'>;

/** Installs packages into sessions. */
export class SessionPackages {
  readonly #deps: Deps;
  readonly #hosts: HostManager;
  readonly #options: () => Options;
  readonly #sessions = new WeakMap<Session, Installed>();

  constructor(deps: Deps, hosts: HostManager, options: () => Options) {
    this.#deps = deps;
    this.#hosts = hosts;
    this.#options = options;
  }

  /** Installs what the request names, when the session's turn has come. Never rejects. */
  async install(
    request: InstallRequest,
    session: Session,
    environment: Environment,
    onOutput: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<Result<InstallReport>> {
    const refusal = this.#refusal(request, environment);
    if (refusal) return { ok: false, error: refusal };
    return session.exclusively(signal, (live, inner) =>
      this.installHere(request, { session, live, environment, onOutput, signal: inner }),
    );
  }

  /** Installs what the request names into a session whose turn the caller has. Never rejects. */
  async installHere(request: InstallRequest, place: InstallPlace): Promise<Result<InstallReport>> {
    const problem = this.#refusal(request, place.environment) ?? (await this.restore(place));
    if (problem) return { ok: false, error: problem };
    return this.#install(request, place, this.#installedIn(place.session, place.live));
  }

  /** Whether a restart has taken packages from the session. */
  hasLost(session: Session, live: LiveInterpreter): boolean {
    const before = this.#sessions.get(session);
    return before !== undefined && before.live !== live && before.added.size > 0;
  }

  /** Installs again what a session had before its restart; null when there is nothing to do, or it succeeded. */
  async restore(place: InstallPlace): Promise<EngineProblem | null> {
    const { session, live } = place;
    const before = this.#sessions.get(session);
    if (!before || !this.hasLost(session, live)) return null;
    const packages = [...before.added.values()].map(({ name, version }) => `${name}==${version}`);
    const installed: Installed = { live, latest: 0, added: new Map() };
    const request = { sessionId: session.id, owner: session.info().owner, packages };
    const restored = await this.#install(request, place, installed);
    if (!restored.ok) return restored.error;
    this.#sessions.set(session, installed);
    return null;
  }

  #installedIn(session: Session, live: LiveInterpreter): Installed {
    const known = this.#sessions.get(session);
    if (known?.live === live) return known;
    const installed: Installed = { live, latest: 0, added: new Map() };
    this.#sessions.set(session, installed);
    return installed;
  }

  #refusal(request: InstallRequest, { definition }: Environment): EngineProblem | null {
    const { packages, displayName } = definition;
    if (!packages) return unsupported(displayName);
    return requestProblem(request, packages) ?? policyProblem(request, packages.manager, this.#options().packages);
  }

  async #install(request: InstallRequest, place: InstallPlace, installed: Installed): Promise<Result<InstallReport>> {
    const { packages, displayName } = place.environment.definition;
    if (!packages) return { ok: false, error: unsupported(displayName) };
    const options = this.#options();
    const job: Job = { ...place, request, packages, options, installed };
    const program = await this.#deps.installers?.(packages.manager);
    if (program === undefined) return { ok: false, error: noInstaller() };
    let output = '';
    const show = (text: string) => {
      output += text;
      job.onOutput(text);
    };
    try {
      const { end, held } = await this.#attempts(job, program, show);
      if (end.kind !== 'installed') {
        if (held) show(held);
        return { ok: false, error: failed(end, output, options.packages.timeoutSeconds) };
      }
      if (held) show(held);
      for (const added of end.added) installed.added.set(packageName(packages.manager, added.name), added);
      const value = { sessionId: request.sessionId, added: end.added, output, notes: notesOn(end.added) };
      return { ok: true, value };
    } catch (error) {
      if (error instanceof BundleError) return { ok: false, error: tooLargeBundle(error.message) };
      return { ok: false, error: job.signal.aborted ? cancelled() : problemOf(error) };
    }
  }

  /**
   * First with the cache and without code of packages, so that none can change the cache; then, where that fails, without
   * the cache and with builds. The words of the first attempt count only where it is the last.
   */
  async #attempts(
    job: Job,
    program: string,
    show: (text: string) => void,
  ): Promise<{ end: InstallerEnd; held: string }> {
    const { build, cacheMb } = job.options.packages;
    const canBuild = build && job.packages.manager === 'pip';
    if (cacheMb > 0) {
      let held = '';
      const end = await this.#run(job, program, { cache: true, build: false }, (text) => {
        held += text;
      });
      if (end.kind !== 'failed' || !canBuild) return { end, held };
    }
    return { end: await this.#run(job, program, { cache: false, build: canBuild }, show), held: '' };
  }

  async #run(
    job: Job,
    program: string,
    mode: { readonly cache: boolean; readonly build: boolean },
    onOutput: (text: string) => void,
  ): Promise<InstallerEnd> {
    const { request, environment, packages, options, installed, signal } = job;
    const { agent, clock, log, identity, images } = this.#deps;
    const { definition, image } = environment;
    const { timeoutSeconds, cacheMb, tool, maxMb } = options.packages;
    const files = request.files ?? [];
    const run: InstallerRun = {
      host: this.#hosts.current,
      spec: installerSpec(definition, image, mode.cache, options, identity, 'bridge'),
      agent,
      clock,
      log,
      program,
      request: {
        ...indexSettings(options.packages, await images(definition.id)),
        ...mode,
        cacheBytes: cacheMb * MB,
        tool: tool || packages.tools[0],
        packages: request.packages,
        files: files.map((path) => basename(path)),
        upgrade: request.upgrade === true,
        installed: [...installed.added.values()].map(({ name, version }) => [name, version]),
      },
      files: () => contents(installed.live, files, signal),
      timeoutMs: timeoutSeconds * 1000,
      onOutput: (text) => onOutput(cleaned(text)),
      signal,
    };
    return runInstaller(run, async (installer) => {
      await this.#handOver(installer, installed, maxMb * MB, signal);
    });
  }

  /** Copies what an installer has made into the session's sandbox. Nothing of it is used before all of it is there. */
  async #handOver(installer: Sandbox, installed: Installed, maxBytes: number, signal: AbortSignal): Promise<void> {
    const { sandbox } = installed.live.lease;
    const folder = String(Math.max(Date.now(), installed.latest + 1));
    const bundle = checkedBundle(await installer.getArchive(`${INSTALLER_FOLDER}/data/out`, signal), {
      folder,
      maxBytes,
    });
    let broken: Error | null = null;
    bundle.once('error', (error) => {
      broken = error;
    });
    // One that is left half full is not used again, and none that another engine has made.
    installed.latest = Number(folder);
    try {
      await sandbox.putArchive(PACKAGES, bundle, signal);
    } catch (error) {
      throw broken ?? error;
    }
    if (broken) throw broken;
    // Each folder that is complete has a file of its name there; drivers look before a cell.
    await sandbox.putArchive(PACKAGES, emptyFile('index', folder), signal);
  }
}

async function* contents(
  live: LiveInterpreter,
  files: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<InstallerFile> {
  for (const path of files) {
    const opened = await live.workspace.get(path, undefined, signal);
    if (!opened.ok) throw new BundleError(`${path} cannot be read: ${opened.error.message}`);
    yield { name: basename(path), content: opened.value.content };
  }
}

function requestProblem({ packages, files = [] }: InstallRequest, language: LanguagePackages): EngineProblem | null {
  if (packages.length + files.length === 0) return invalidRequest('No package is named.', 'Name at least one.');
  if (packages.length + files.length > MAX_PACKAGES) {
    return invalidRequest(`More than ${MAX_PACKAGES} packages are named.`, 'Install them in several steps.');
  }
  for (const entry of packages) {
    const problem = packageProblem(language.manager, entry);
    if (problem) return invalidRequest(problem, 'Indexes and hosts are set by the options packages.*.');
  }
  const other = files.find((path) => !language.fileExtensions.some((extension) => path.endsWith(extension)));
  if (other === undefined) return null;
  const kinds = language.fileExtensions.join(', ');
  return invalidRequest(`${JSON.stringify(other)} is no package file.`, `Its name has to end with ${kinds}.`);
}

function notesOn(added: readonly AddedPackage[]): string[] {
  const replaced = added.filter(({ replaced, version }) => replaced !== null && replaced !== version);
  if (replaced.length === 0) return [];
  const list = replaced.map(({ name, version, replaced }) => `${name} ${version} replaces ${replaced}`).join(', ');
  return [`${list}: where a module of it was imported already, restart the session to use the new one.`];
}

/** Without what a terminal would act on. */
function cleaned(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
