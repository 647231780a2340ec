import { basename } from 'node:path/posix';
import { BundleError } from '../../host/bundle.ts';
import type { LanguagePackages } from '../../languages/packages.ts';
import type { EngineDependencies } from '../deps.ts';
import type { Environment } from '../environment/environment.ts';
import type { HostManager } from '../environment/hostManager.ts';
import type { Options } from '../options.ts';
import { cancelled, invalidRequest, problemOf } from '../problems.ts';
import type { LiveInterpreter } from '../session/lifecycle.ts';
import type { Session } from '../session/session.ts';
import type { EngineProblem, Result } from '../types.ts';
import { Installations, type Installed } from './installations.ts';
import type { InstallerFile } from './installer.ts';
import { UnreadableCertificates } from './machineIndex.ts';
import { isPackageUrl, packageName, packageProblem, pinned } from './packageName.ts';
import { policyProblem } from './policy.ts';
import { failed, noInstaller, tooLargeBundle, unsupported } from './problems.ts';
import { isThere } from './references.ts';
import { addedIn } from './sandboxIndex.ts';
import type { AddedPackage, InstallReport, InstallRequest } from './types.ts';

const MAX_PACKAGES = 200;

/** Where packages go; the caller has the session's turn. */
export interface InstallPlace {
  readonly session: Session;
  readonly live: LiveInterpreter;
  readonly environment: Environment;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

type Deps = Pick<EngineDependencies, 'agent' | 'clock' | 'log' | 'identity' | 'images' | 'installers' | 'certificates'>;

/** Installs packages into sessions. */
export class SessionPackages {
  readonly #deps: Deps;
  readonly #installations: Installations;
  readonly #options: () => Options;
  readonly #sessions = new WeakMap<Session, Installed>();

  constructor(deps: Deps, hosts: HostManager, options: () => Options) {
    this.#deps = deps;
    this.#installations = new Installations(deps, hosts);
    this.#options = options;
  }

  /** Removes what waits to install. Never rejects. */
  dispose(): Promise<void> {
    return this.#installations.dispose();
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
    const wanted = request.areReferences ? this.#missing(request, place) : request;
    if (!wanted) return { ok: true, value: { sessionId: request.sessionId, added: [], output: '', notes: [] } };
    const problem = this.#refusal(wanted, place.environment) ?? (await this.restore(place));
    if (problem) return { ok: false, error: problem };
    const installed = this.#installedIn(place.session, place.live);
    const report = await this.#install(wanted, place, installed);
    if (report.ok && wanted.areReferences) for (const entry of referencesOf(wanted)) installed.references.add(entry);
    return report;
  }

  /** What the interpreter does not have of references; null where it has all. */
  #missing(request: InstallRequest, { session, live, environment: { lock } }: InstallPlace): InstallRequest | null {
    const known = this.#sessions.get(session);
    const here = known?.live === live ? known : undefined;
    const isKnown = (entry: string) => here?.references.has(entry) === true;
    const { packages, files = [] } = request;
    const has = packages.every((entry) => isKnown(entry) || isThere(entry, { lock, added: here?.added }));
    return has && files.every(isKnown) ? null : request;
  }

  /** Learns which packages a session has that another engine had. Never rejects. */
  async resumed(session: Session, { definition }: Environment): Promise<void> {
    const { live } = session;
    if (!live || !definition.packages) return;
    const { manager } = definition.packages;
    const found = await addedIn(live.lease.sandbox);
    const added = new Map(found.map((one) => [packageName(manager, one.name), one]));
    if (added.size > 0) this.#sessions.set(session, newInstalled(live, added));
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
    const { manager = 'pip' } = place.environment.definition.packages ?? {};
    const packages = [...before.added.values()].map(({ name, version }) => pinned(manager, name, version));
    const installed = newInstalled(live);
    const request = { sessionId: session.id, owner: session.info().owner, packages };
    const restored = await this.#install(request, place, installed);
    if (!restored.ok) return restored.error;
    this.#sessions.set(session, installed);
    return null;
  }

  #installedIn(session: Session, live: LiveInterpreter): Installed {
    const known = this.#sessions.get(session);
    if (known?.live === live) return known;
    const installed = newInstalled(live);
    this.#sessions.set(session, installed);
    return installed;
  }

  #refusal(request: InstallRequest, { definition }: Environment): EngineProblem | null {
    const { packages } = definition;
    if (!packages) return unsupported(definition);
    const options = this.#options().packages;
    return requestProblem(request, packages, options.urls) ?? policyProblem(request, packages.manager, options);
  }

  async #install(request: InstallRequest, place: InstallPlace, installed: Installed): Promise<Result<InstallReport>> {
    const { packages } = place.environment.definition;
    if (!packages) return { ok: false, error: unsupported(place.environment.definition) };
    const options = this.#options();
    const program = await this.#deps.installers?.(packages.manager);
    if (program === undefined) return { ok: false, error: noInstaller() };
    const { environment, live, signal } = place;
    const { packages: names, upgrade = false } = request;
    const { manager } = packages;
    let output = '';
    const onOutput = (text: string) => {
      output += text;
      place.onOutput(text);
    };
    try {
      const files = (request.files ?? []).map((path) => fileOf(live, path, signal));
      const job = { environment, packages, options, installed, names, files, upgrade, onOutput, signal };
      const end = await this.#installations.run(job, program);
      if (end.kind !== 'installed') return { ok: false, error: failed(end, output, options.packages.timeoutSeconds) };
      for (const added of end.added) installed.added.set(packageName(manager, added.name), added);
      const value = { sessionId: request.sessionId, added: end.added, output, notes: notesOn(end.added) };
      return { ok: true, value };
    } catch (error) {
      if (error instanceof BundleError) return { ok: false, error: tooLargeBundle(error.message) };
      if (error instanceof UnreadableCertificates) {
        return { ok: false, error: invalidRequest(error.message, 'Correct the option.') };
      }
      return { ok: false, error: signal.aborted ? cancelled() : problemOf(error) };
    }
  }
}

function newInstalled(live: LiveInterpreter, added: Installed['added'] = new Map()): Installed {
  return { live, latest: 0, added, references: new Set() };
}

function referencesOf({ packages, files = [] }: InstallRequest): readonly string[] {
  return [...packages, ...files];
}

/** A package of the session's workspace. */
function fileOf({ workspace }: LiveInterpreter, path: string, signal: AbortSignal): InstallerFile {
  return {
    name: basename(path),
    open: async () => {
      const opened = await workspace.get(path, undefined, signal);
      if (!opened.ok) throw new BundleError(`${path} cannot be read: ${opened.error.message}`);
      return opened.value.content;
    },
  };
}

function requestProblem(
  { packages, files = [] }: InstallRequest,
  language: LanguagePackages,
  urls: boolean,
): EngineProblem | null {
  if (packages.length + files.length === 0) return invalidRequest('No package is named.', 'Name at least one.');
  if (packages.length + files.length > MAX_PACKAGES) {
    return invalidRequest(`More than ${MAX_PACKAGES} packages are named.`, 'Install them in several steps.');
  }
  for (const entry of packages) {
    if (urls && isPackageUrl(entry)) continue;
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
