import type { Event } from '../base/event.ts';
import { guarded, messageOf } from '../base/log.ts';
import { isOwnImage } from '../host/labels.ts';
import type { CellPlace, Draft } from '../languages/language.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { LanguageQuestions } from '../languages/registry.ts';
import type { Walls } from '../sandbox/sandbox.ts';
import type { EngineDependencies } from './deps.ts';
import { Catalog, type Environments } from './environment/catalog.ts';
import type { Environment } from './environment/environment.ts';
import { EnvironmentSet } from './environment/environmentSet.ts';
import { memoryStore } from './environment/environmentStore.ts';
import { HostManager } from './environment/hostManager.ts';
import { buildImage } from './environment/images.ts';
import { type SessionFiles, sessionFiles } from './files/sessionFiles.ts';
import { type SessionView, sessionView } from './files/sessionView.ts';
import { buildProxyImage } from './network/proxyImage.ts';
import { MAX_CODE_BYTES, type Options } from './options.ts';
import { cellInstalls, runWithPackages, sessionNeeded } from './packages/cellPackages.ts';
import { SessionPackages } from './packages/sessionPackages.ts';
import type { InstallReport, InstallRequest } from './packages/types.ts';
import { preflight } from './preflight.ts';
import { engineClosed, installsOff, notResumed } from './problems.ts';
import { notRun } from './run/result.ts';
import { continueRun, newRunId, type Run, runOnce } from './run/run.ts';
import { questionsOf } from './run/tasks.ts';
import { requestProblem } from './run/validateRequest.ts';
import type { KeptCell, SessionCells } from './session/cellLogs.ts';
import { CellOutputs, outputsOf } from './session/cellOutputs.ts';
import { ownedEngine } from './session/ownedEngine.ts';
import type { Session } from './session/session.ts';
import { SessionRecord } from './session/sessionRecord.ts';
import { Sessions } from './session/sessions.ts';
import type { Viewer } from './session/viewer.ts';
import { Snapshots } from './snapshot.ts';
import { tryInSession } from './trial/tryCode.ts';
import type { Candidate, TryOptions, TryResult } from './trial/types.ts';
import { named, trialProblem, trialTimeoutMs } from './trial/validateTrial.ts';
import type {
  BuildExtras,
  Completions,
  ContinuedRun,
  ContinuedRunListener,
  Engine,
  Owner,
  Preflight,
  Result,
  ResumedSession,
  RunOutput,
  RunRequest,
  RunResult,
  SessionInfo,
  Snapshot,
} from './types.ts';

/** An engine. With `pool.prewarm` it starts sandboxes at once, otherwise on first use. */
export function createEngine(deps: EngineDependencies): Engine {
  const engine = new LiveEngine(deps);
  return Object.assign(engine, engine.questions());
}

const IGNORE = () => {};
const LISTENER = 'a listener of output';

class LiveEngine implements Omit<Engine, keyof LanguageQuestions> {
  readonly key = {};
  readonly languages: readonly LanguageDefinition[];
  readonly onDidChange: Event<void>;
  readonly #deps: EngineDependencies;
  readonly #hosts: HostManager;
  readonly #catalog: Catalog;
  readonly #set: EnvironmentSet;
  readonly #sessions: Sessions;
  readonly #snapshots: Snapshots;
  readonly #packages: SessionPackages;
  #options: Options;
  #disposed: Promise<void> | null = null;

  constructor(deps: EngineDependencies) {
    const { languages, options, clock, log } = deps;
    const onChange = () => this.#snapshots.invalidate();
    this.#deps = deps;
    this.languages = languages;
    this.#options = options;
    this.#hosts = new HostManager(deps, onChange);
    this.#set = new EnvironmentSet(deps, deps.environments ?? memoryStore(), this.#hosts, onChange);
    this.#packages = new SessionPackages(deps, this.#hosts, () => this.#options);
    const keep = deps.sessionStore && {
      store: deps.sessionStore,
      owner: deps.identity.owner,
      seconds: () => this.#options.sessions.keepSeconds,
    };
    this.#sessions = new Sessions({ clock, log, onChange, ...(keep && { keep }) });
    const environments = () => this.#set.all();
    this.#snapshots = new Snapshots({
      hosts: this.#hosts,
      environments,
      sessions: this.#sessions,
      network: () => ({ policy: this.#options.network.policy, allow: this.#options.network.allow }),
      clock,
    });
    this.onDidChange = this.#snapshots.onDidChange;
    // Views list them from the start.
    this.#set.list().catch((error) => log.warn(`The environments could not be read: ${messageOf(error)}`));
    this.#catalog = new Catalog({
      deps,
      set: this.#set,
      hosts: this.#hosts,
      options: () => this.#options,
      sessionsIn: (name) => this.#sessions.all().filter((one) => one.environment === name && one.isLive),
    });
  }

  get environments(): Environments {
    return this.#catalog;
  }

  asOwner(ownerId: string): Engine {
    const viewer: Viewer = { id: ownerId, kind: 'mcp' };
    const find = (id: string) => this.#sessions.find(id, viewer);
    return Object.assign(ownedEngine({ engine: this, viewer, find }), this.questions(find));
  }

  /** The languages' own questions, which become members of the engine; `session` finds the sessions that they name. */
  questions(session = (id: string) => this.#sessions.find(id)): LanguageQuestions {
    return questionsOf(this.languages, {
      run: (language, { task, ...rest }, signal) =>
        this.#run({ request: { ...rest, language }, task, onOutput: IGNORE, signal }),
      session,
      outputLimit: () => this.#options.limits.outputKb * 1024,
    });
  }

  async run(
    request: RunRequest,
    onOutput: (output: RunOutput) => void = IGNORE,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    return this.#run({ request, onOutput: guarded(onOutput, LISTENER, this.#deps.log), signal });
  }

  async tryCode(
    sessionId: string,
    given: readonly Candidate[],
    options: TryOptions = {},
    signal?: AbortSignal,
  ): Promise<Result<TryResult>> {
    const candidates = named(given);
    const problem = this.#disposed ? engineClosed() : trialProblem(candidates, options);
    if (problem) return refused(problem);
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return found;
    const own = this.#set.ofLanguage(found.value.language);
    if (!own.ok) return own;
    const environment = this.#set.ofSession(found.value.environment) ?? own.value;
    const { limits } = this.#options;
    const timeoutMs = trialTimeoutMs(options, limits);
    const terms = { timeoutMs, outputBytes: limits.outputKb * 1024, signal, onOutput: IGNORE };
    const tried = await this.#snapshots.whileRunning(() =>
      tryInSession(found.value, environment, candidates, terms, options.keep),
    );
    if (tried.ok) this.#keepTried(found.value, candidates, tried.value);
    return tried;
  }

  async openSession(
    language: string,
    owner: Owner,
    signal?: AbortSignal,
    environment?: string,
  ): Promise<Result<SessionInfo>> {
    if (this.#disposed) return refused(engineClosed());
    const found =
      environment === undefined ? this.#set.ofLanguage(language) : await this.#set.find(language, environment);
    if (!found.ok) return found;
    this.#set.use(found.value);
    return this.#sessions.open(found.value, owner, this.#options.sessions.max, signal);
  }

  async resumeSession(
    given: SessionRecord,
    onRun: (run: ContinuedRun) => ContinuedRunListener = () => ({ onOutput: IGNORE }),
    signal?: AbortSignal,
  ): Promise<Result<ResumedSession>> {
    if (this.#disposed) return refused(engineClosed());
    const record = SessionRecord.safeParse(given);
    if (!record.success) return refused(notResumed(String(given.sessionId), 'its record is not one of this version'));
    const { language, environment: name } = record.data;
    const found = await this.#set.find(language, name);
    if (!found.ok) return found;
    const environment = found.value;
    this.#set.use(environment);
    const onLeft = (run: ContinuedRun): ContinuedRunListener => {
      const listener = onRun(run);
      return { ...listener, onOutput: guarded(listener.onOutput, LISTENER, this.#deps.log) };
    };
    const resumed = await this.#sessions.resume(environment, record.data, onLeft, this.#options.sessions.max, signal);
    if (!resumed.ok) return resumed;
    const { session, cell } = resumed.value;
    await this.#packages.resumed(session, environment);
    const result = cell && this.#snapshots.whileRunning(() => continueRun(cell, environment, session));
    return { ok: true, value: { info: session.info(), result } };
  }

  async closeSession(id: string): Promise<Result<SessionInfo>> {
    return this.#sessions.close(id);
  }

  async interruptSession(id: string): Promise<Result<SessionInfo>> {
    return this.#sessions.interrupt(id);
  }

  async shareSession(id: string, isShared: boolean): Promise<Result<SessionInfo>> {
    return this.#sessions.share(id, isShared);
  }

  restartSession(id: string): Promise<Result<SessionInfo>> {
    return this.#sessions.restart(id, this.#options.sessions.max);
  }

  async installPackages(
    request: InstallRequest,
    onOutput: (text: string) => void = IGNORE,
    signal?: AbortSignal,
  ): Promise<Result<InstallReport>> {
    const found = this.#sessions.find(request.sessionId);
    if (!found.ok) return found;
    const environment = this.#set.ofSession(found.value.environment);
    const own = this.#set.ofLanguage(found.value.language);
    if (!own.ok) return own;
    if (environment?.allowsInstalls === false) return refused(installsOff(environment.id));
    const listener = guarded(onOutput, LISTENER, this.#deps.log);
    return this.#packages.install(request, found.value, environment ?? own.value, listener, signal);
  }

  keepCells(): void {
    this.#sessions.keepCells();
  }

  cells(sessionId: string): Result<SessionCells> {
    return this.#sessions.cells(sessionId);
  }

  files(sessionId: string): SessionFiles {
    return sessionFiles(() => this.#sessions.find(sessionId));
  }

  view(sessionId: string): SessionView {
    return sessionView(() => this.#sessions.find(sessionId));
  }

  async complete(
    sessionId: string,
    code: string,
    cursor: number,
    signal?: AbortSignal,
    cell?: string,
  ): Promise<Result<Completions>> {
    const nothing = { start: cursor, end: cursor, matches: [] };
    if (Buffer.byteLength(code) <= MAX_CODE_BYTES) {
      return this.#sessions.ask(sessionId, (one) => one.complete(code, cursor, cell), nothing, signal);
    }
    const found = this.#sessions.find(sessionId);
    return found.ok ? { ok: true, value: nothing } : found;
  }

  hover(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<string | null>> {
    return this.#sessions.ask(sessionId, async (one) => (await one.hover?.(draft)) ?? null, null, signal);
  }

  definition(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<readonly CellPlace[]>> {
    return this.#sessions.ask(sessionId, async (one) => (await one.definition?.(draft)) ?? [], [], signal);
  }

  async stopSandbox(id: string): Promise<void> {
    for (const environment of this.#set.all()) environment.stop(id);
  }

  async buildEnvironment(
    language: string,
    onLine: (line: string) => void,
    signal?: AbortSignal,
    extras: BuildExtras = {},
  ): Promise<Result<string>> {
    const found = this.#set.ofLanguage(language);
    if (!found.ok) return found;
    const environment = found.value;
    const { added, base } = environment;
    if (!added || isOwnImage(base)) {
      const source = () => this.#deps.images(language);
      const { images } = this.#hosts.current;
      const { baseImage } = this.#options.docker;
      const built = await buildImage(environment, { ...extras, images, source, baseImage, onLine, signal });
      if (!built.ok || !added) return built;
    }
    const built = await this.#catalog.addPackages(added, onLine, signal);
    if (built.ok) environment.refresh();
    return built;
  }

  buildProxy(onLine: (line: string) => void, signal?: AbortSignal): Promise<Result<string>> {
    return buildProxyImage(this.#hosts.current.images, this.#deps.images, this.#options, onLine, signal);
  }

  async preflight(signal?: AbortSignal): Promise<Preflight> {
    const host = this.#hosts.current;
    const found = await preflight(host, this.#options.docker.runtime, this.#set.defaults(), signal);
    if (found.host.info) this.#hosts.learned(host, found.host.info);
    if (found.host.problem) this.#hosts.failed(host, found.host.problem);
    return found;
  }

  async checkWalls(language: string, signal?: AbortSignal): Promise<Result<Walls>> {
    const found = this.#set.ofLanguage(language);
    return found.ok ? found.value.checkWalls(signal) : found;
  }

  snapshot(): Snapshot {
    return this.#snapshots.current;
  }

  configure(options: Options): void {
    if (this.#disposed) return;
    this.#options = options;
    this.#hosts.configure(options);
    this.#set.configure(options);
    this.#snapshots.invalidate();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  detach(): Promise<void> {
    this.#disposed ??= this.#sessions.detachAll().then(() => this.#end());
    return this.#disposed;
  }

  async #run(given: Pick<Run, 'request' | 'onOutput' | 'signal' | 'task'>): Promise<RunResult> {
    const { request } = given;
    const runId = request.runId ?? newRunId();
    const problem = this.#disposed ? engineClosed() : requestProblem(request);
    if (problem) return notRun(runId, problem, request.sessionId);
    return this.#snapshots.whileRunning(() => this.#start({ ...given, runId, limits: this.#options.limits }));
  }

  async #start(run: Run): Promise<RunResult> {
    const { language, sessionId, environment } = run.request;
    const own = this.#set.ofLanguage(language);
    if (!own.ok) return notRun(run.runId, own.error, sessionId);
    if (sessionId === undefined) {
      const found = environment === undefined ? own : await this.#set.find(language, environment);
      if (!found.ok) return notRun(run.runId, found.error);
      const installs = cellInstalls(run, found.value);
      if (installs && !installs.areReferences) return notRun(run.runId, sessionNeeded());
      this.#set.use(found.value);
      return runOnce(run, found.value, this.#deps.clock);
    }
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return notRun(run.runId, found.error, sessionId);
    const used = this.#set.ofSession(found.value.environment) ?? own.value;
    if (!this.#sessions.keepsCells) return runWithPackages(run, used, found.value, this.#packages);
    return this.#runKept(run, used, found.value);
  }

  /** Runs a cell of a session and keeps it. */
  async #runKept(run: Run, environment: Environment, session: Session): Promise<RunResult> {
    const outputs = new CellOutputs();
    const onOutput = (output: RunOutput) => {
      outputs.take(output);
      run.onOutput(output);
    };
    const result = await runWithPackages({ ...run, onOutput }, environment, session, this.#packages);
    const { code, cell = null } = run.request;
    if (result.status !== 'rejected') this.#keepCell(session, { code, cell, outputs: outputs.all }, result);
    return result;
  }

  /** The candidate that is kept is the session's last cell. */
  #keepTried(session: Session, candidates: readonly Candidate[], { candidates: tried, kept }: TryResult): void {
    const index = tried.findIndex(({ id }) => id === kept);
    const [candidate, ran] = [candidates[index], tried[index]];
    if (!this.#sessions.keepsCells || !candidate || !ran) return;
    const cell = { code: candidate.code, cell: null, outputs: outputsOf(ran.result) };
    this.#keepCell(session, cell, ran.result);
  }

  #keepCell(session: Session, cell: Pick<KeptCell, 'code' | 'cell' | 'outputs'>, result: RunResult): void {
    const described = this.languages.find(({ id }) => id === session.language)?.reports?.describe(result);
    const report = described?.texts.filter((text) => text !== '').join('\n\n') ?? '';
    const error = described?.hasErrors ? null : result.error;
    this.#sessions.keepCell(session, { ...cell, runId: result.runId, error, result: result.result, report });
  }

  async #end(): Promise<void> {
    this.#snapshots.stopPolling();
    this.#sessions.closeAll('Hothouse has shut down');
    await Promise.all([this.#set.dispose(), this.#packages.dispose()]);
    await this.#hosts.dispose();
    this.#snapshots.dispose();
  }
}

function refused(error: Extract<Result<never>, { ok: false }>['error']): Extract<Result<never>, { ok: false }> {
  return { ok: false, error };
}
