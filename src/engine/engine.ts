import { toDisposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import { isOwnImage, LABEL } from '../host/labels.ts';
import type { CellPlace, Draft } from '../languages/language.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import { Changes } from './changes.ts';
import type { EngineDependencies } from './deps.ts';
import { Environment } from './environment/environment.ts';
import { Hosts } from './environment/hostManager.ts';
import { checkAll, goalsOf, type RunTask, tryAll } from './lean/proofs.ts';
import { MemoryPoll } from './memory.ts';
import { MAX_CODE_BYTES, type Options } from './options.ts';
import { preflight } from './preflight.ts';
import {
  engineClosed,
  foreignImage,
  noImageBuilder,
  otherLanguage,
  problemOf,
  sessionLimit,
  unknownLanguage,
} from './problems.ts';
import { notRun } from './run/result.ts';
import { newRunId, type Run, runInSession, runOnce } from './run/run.ts';
import { requestProblem } from './run/validateRequest.ts';
import type { Session } from './session/session.ts';
import { Sessions } from './session/sessions.ts';
import { snapshotOf } from './snapshot.ts';
import type {
  BuildExtras,
  CheckAnswer,
  CheckRequest,
  Completions,
  Engine,
  EngineProblem,
  GoalsAnswer,
  GoalsRequest,
  Owner,
  Preflight,
  Result,
  RunOutput,
  RunRequest,
  RunResult,
  SessionInfo,
  Snapshot,
  TacticAnswer,
  TacticsRequest,
} from './types.ts';

/** An engine; with `pool.prewarm` it starts sandboxes at once, otherwise nothing before its first use. */
export function createEngine(deps: EngineDependencies): Engine {
  return new LiveEngine(deps);
}

const IGNORE = () => {};

class LiveEngine implements Engine {
  readonly languages: readonly LanguageDefinition[];
  readonly #deps: EngineDependencies;
  readonly #changes = new Changes();
  readonly #sessions = new Sessions();
  readonly #hosts: Hosts;
  readonly #environments: ReadonlyMap<string, Environment>;
  readonly #memory: MemoryPoll;
  #options: Options;
  #running = 0;
  #snapshot: Snapshot | null = null;
  #disposed: Promise<void> | null = null;

  constructor(deps: EngineDependencies) {
    this.#deps = deps;
    this.languages = deps.languages;
    this.#options = deps.options;
    this.#hosts = new Hosts(deps, () => this.#onChange());
    this.#environments = new Map(
      deps.languages.map((language) => [language.id, new Environment(language, deps, this.#hosts)]),
    );
    this.#memory = new MemoryPoll(
      deps.clock,
      () => this.#all().flatMap((environment) => environment.sandboxes()),
      () => this.#onChange(),
    );
    for (const environment of this.#all()) environment.onDidChange(() => this.#onChange());
  }

  readonly onDidChange: Event<void> = (listener) => {
    const subscription = this.#changes.event(listener);
    this.#memory.watch();
    return toDisposable(() => {
      subscription.dispose();
      this.#memory.unwatch();
    });
  };

  async run(
    request: RunRequest,
    onOutput: (output: RunOutput) => void = IGNORE,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    return this.#run({ request, onOutput, signal });
  }

  async check(request: CheckRequest, signal?: AbortSignal): Promise<Result<readonly CheckAnswer[]>> {
    return checkAll(request, this.#outputLimit, (one) => this.#runTask(one, signal));
  }

  async goals(request: GoalsRequest, signal?: AbortSignal): Promise<Result<GoalsAnswer>> {
    const text = await this.#textOf(request.sessionId, signal);
    return text.ok ? goalsOf(request, text.value, (one) => this.#runTask(one, signal)) : text;
  }

  async tryTactics(request: TacticsRequest, signal?: AbortSignal): Promise<Result<readonly TacticAnswer[]>> {
    const text = await this.#textOf(request.sessionId, signal);
    return text.ok ? tryAll(request, text.value, this.#outputLimit, (one) => this.#runTask(one, signal)) : text;
  }

  async openSession(language: string, owner: Owner, signal?: AbortSignal): Promise<Result<SessionInfo>> {
    if (this.#disposed) return refused(engineClosed());
    const environment = this.#environments.get(language);
    if (!environment) return refused(this.#unknownLanguage(language));
    const added = this.#sessions.add(environment.definition.sessionPrefix, this.#options.sessions.max, {
      owner,
      environment: environment.id,
      languageId: environment.definition.id,
      language: environment.language,
      clock: this.#deps.clock,
      log: this.#deps.log,
      lease: (signal) => environment.lease(owner, 'session', { signal }),
      onChange: () => this.#onChange(),
    });
    if (!added.ok) return added;
    const problem = await added.value.start(signal);
    if (!problem) return this.#told(added.value);
    this.#sessions.close(added.value, 'it could not start');
    return refused(problem);
  }

  async closeSession(id: string): Promise<Result<SessionInfo>> {
    const found = this.#sessions.find(id);
    if (!found.ok) return found;
    this.#sessions.close(found.value, 'it was closed');
    this.#onChange();
    return this.#told(found.value);
  }

  async interruptSession(id: string): Promise<Result<SessionInfo>> {
    const found = this.#sessions.find(id);
    if (!found.ok) return found;
    found.value.interrupt();
    return this.#told(found.value);
  }

  async restartSession(id: string): Promise<Result<SessionInfo>> {
    const found = this.#sessions.find(id);
    if (!found.ok) return found;
    const { max } = this.#options.sessions;
    if (!found.value.isLive && !this.#sessions.hasRoom(max)) return refused(sessionLimit(max));
    const problem = await found.value.restart();
    return problem ? refused(problem) : this.#told(found.value);
  }

  async complete(
    sessionId: string,
    code: string,
    cursor: number,
    signal?: AbortSignal,
    cell?: string,
  ): Promise<Result<Completions>> {
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return found;
    const nothing = { start: cursor, end: cursor, matches: [] };
    if (Buffer.byteLength(code) > MAX_CODE_BYTES) return { ok: true, value: nothing };
    return found.value.ask((interpreter) => interpreter.complete(code, cursor, cell), nothing, signal);
  }

  async hover(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<string | null>> {
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return found;
    return found.value.ask(async (interpreter) => (await interpreter.hover?.(draft)) ?? null, null, signal);
  }

  async definition(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<readonly CellPlace[]>> {
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return found;
    return found.value.ask(async (interpreter) => (await interpreter.definition?.(draft)) ?? [], [], signal);
  }

  async stopSandbox(id: string): Promise<void> {
    for (const environment of this.#all()) environment.stop(id);
  }

  async buildEnvironment(
    language: string,
    onLine: (line: string) => void,
    signal?: AbortSignal,
    { buildArgs, folders }: BuildExtras = {},
  ): Promise<Result<string>> {
    const environment = this.#environments.get(language);
    if (!environment) return refused(this.#unknownLanguage(language));
    const tag = environment.image;
    if (!isOwnImage(tag)) return refused(foreignImage(language, tag));
    const { images } = this.#hosts.current;
    if (!images) return refused(noImageBuilder(language));
    try {
      const source = await this.#deps.images(language);
      const { baseImage } = this.#options.docker;
      const args = { ...source.buildArgs, ...(baseImage && { BASE: baseImage }), ...buildArgs };
      const build = { ...source, buildArgs: args, folders: { ...folders }, tag, labels: { [LABEL.managed]: 'true' } };
      await images.build(build, onLine, signal);
    } catch (error) {
      return refused(problemOf(error));
    }
    environment.refresh();
    return { ok: true, value: tag };
  }

  async preflight(signal?: AbortSignal): Promise<Preflight> {
    const host = this.#hosts.current;
    const found = await preflight(host, this.#options.docker.runtime, this.#all(), signal);
    if (found.host.info) this.#hosts.learned(host, found.host.info);
    if (found.host.problem) this.#hosts.failed(host, found.host.problem);
    return found;
  }

  snapshot(): Snapshot {
    this.#snapshot ??= snapshotOf(this.#hosts, this.#all(), this.#sessions.all(), this.#memory, this.#running);
    return this.#snapshot;
  }

  configure(options: Options): void {
    if (this.#disposed) return;
    this.#options = options;
    this.#hosts.configure(options.docker);
    for (const environment of this.#all()) environment.configure(options);
    this.#onChange();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async #run(given: Pick<Run, 'request' | 'onOutput' | 'signal' | 'task'>): Promise<RunResult> {
    const { request } = given;
    const runId = newRunId();
    const problem = this.#disposed ? engineClosed() : requestProblem(request);
    if (problem) return notRun(runId, problem, request.sessionId);
    this.#count(1);
    try {
      return await this.#start({ ...given, runId, limits: this.#options.limits });
    } finally {
      this.#count(-1);
    }
  }

  /** Bytes that one run may say. */
  get #outputLimit(): number {
    return this.#options.limits.outputKb * 1024;
  }

  #runTask({ task, ...request }: Parameters<RunTask>[0], signal: AbortSignal | undefined): Promise<RunResult> {
    // Many at a time would each listen to the caller's own signal, which warns of that.
    return this.#run({ request, task, onOutput: IGNORE, signal: signal && AbortSignal.any([signal]) });
  }

  /** The text that a session of Lean stands on; empty without a session. */
  async #textOf(sessionId: string | undefined, signal?: AbortSignal): Promise<Result<string>> {
    if (sessionId === undefined) return { ok: true, value: '' };
    const found = this.#sessions.find(sessionId);
    if (!found.ok) return found;
    if (found.value.language !== 'lean') return refused(otherLanguage(sessionId, found.value.language));
    return found.value.ask(async (interpreter) => interpreter.text?.() ?? '', '', signal);
  }

  async #start(run: Run): Promise<RunResult> {
    const { language, sessionId } = run.request;
    const environment = this.#environments.get(language);
    if (!environment) return notRun(run.runId, this.#unknownLanguage(language), sessionId);
    if (sessionId === undefined) return runOnce(run, environment, this.#deps.clock);
    const found = this.#sessions.find(sessionId);
    return found.ok ? runInSession(run, environment, found.value) : notRun(run.runId, found.error, sessionId);
  }

  async #end(): Promise<void> {
    this.#memory.dispose();
    this.#sessions.closeAll('Hothouse has shut down');
    await Promise.all(this.#all().map((environment) => environment.dispose()));
    await this.#hosts.dispose();
    this.#changes.dispose();
  }

  #all(): readonly Environment[] {
    return [...this.#environments.values()];
  }

  #unknownLanguage(given: unknown): EngineProblem {
    return unknownLanguage(
      given,
      this.languages.map(({ id }) => id),
    );
  }

  #told(session: Session): Result<SessionInfo> {
    return { ok: true, value: session.info() };
  }

  #count(change: 1 | -1): void {
    this.#running += change;
    this.#onChange();
  }

  #onChange(): void {
    this.#snapshot = null;
    this.#changes.mark();
    this.#memory.wake();
  }
}

function refused(error: Extract<Result<never>, { ok: false }>['error']): Extract<Result<never>, { ok: false }> {
  return { ok: false, error };
}
