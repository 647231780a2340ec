import { Emitter } from '../../src/base/event.ts';
import type { Environments } from '../../src/engine/environment/catalog.ts';
import {
  definitionHash,
  type EnvironmentRecord,
  environmentImage,
  formatDefinitionProblem,
  parseDefinition,
} from '../../src/engine/environment/definition.ts';
import { type SessionFiles, sessionFiles } from '../../src/engine/files/sessionFiles.ts';
import { type SessionView, sessionView } from '../../src/engine/files/sessionView.ts';
import { NetworkConsent } from '../../src/engine/network/consent.ts';
import { formatEnvironmentNetwork, needsConsent } from '../../src/engine/network/environmentNetwork.ts';
import type { InstallReport, InstallRequest } from '../../src/engine/packages/types.ts';
import {
  agentsNeedApproval,
  invalidRequest,
  needsNetworkConsent,
  unknownEnvironment,
  unknownSession,
} from '../../src/engine/problems.ts';
import { NOTHING_RAN } from '../../src/engine/run/result.ts';
import type {
  Engine,
  Preflight,
  Result,
  RunRequest,
  RunResult,
  SessionInfo,
  SessionRecord,
  Snapshot,
  Walls,
} from '../../src/engine/types.ts';
import type {
  CheckAnswer,
  CheckRequest,
  GoalsRequest,
  LeanEngine,
  TacticsRequest,
} from '../../src/languages/lean/questions/leanEngine.ts';

import { LANGUAGES } from '../../src/languages/registry.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';

/** An end of a run, with whatever a test wants to see of it. */
export function runResult(over: Partial<RunResult> = {}): RunResult {
  return {
    ...NOTHING_RAN,
    runId: 'r1',
    status: 'ok',
    error: null,
    durationMs: 1.25,
    peakMemoryBytes: 1024,
    sessionId: null,
    ...over,
  };
}

/** A check that found nothing wrong, with whatever a test wants to see of it. */
export function checkAnswer(over: Partial<CheckAnswer> = {}): CheckAnswer {
  return { id: null, status: 'ok', verdict: 'accepted', report: null, error: null, durationMs: 1.25, ...over };
}

/** A session's view, with whatever a test wants to see of it. */
export function sessionInfo(over: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id: 's1',
    language: 'python',
    environment: 'python',
    owner: { id: 'o1', kind: 'mcp', label: 'someone' },
    isShared: false,
    state: 'idle',
    endReason: null,
    sandboxId: null,
    openedAt: 0,
    lastUsedAt: 0,
    runs: 0,
    memoryBytes: null,
    ...over,
  };
}

/** An engine that returns the answers of a test and records its requests. */
export class StubEngine implements Engine {
  readonly key = {};
  readonly environments = catalogStub();
  walls: Result<Walls> = { ok: true, value: HOLDING_WALLS };
  readonly languages = LANGUAGES;
  readonly requests: RunRequest[] = [];
  /** The requests of the prover calls. */
  readonly checks: (CheckRequest | GoalsRequest | TacticsRequest)[] = [];
  /** Arguments of each `tryCode`. */
  readonly trials: (readonly unknown[])[] = [];
  /** What copies of sessions do not have. */
  losses = { threads: 0, sockets: 0 };
  readonly closed: string[] = [];
  /** Languages whose images were built, with what was added. */
  readonly builds: (readonly unknown[])[] = [];
  readonly aborted: string[] = [];
  sessions: SessionInfo[] = [];
  disposals = 0;
  readonly installs: InstallRequest[] = [];
  onInstall: (request: InstallRequest) => Result<InstallReport> = ({ sessionId }) => ({
    ok: true,
    value: { sessionId, added: [], output: '', notes: [] },
  });
  answer: Engine['run'] = async () => runResult();
  readonly onDidChange = new Emitter<void>().event;

  async run(...[request, onOutput, signal]: Parameters<Engine['run']>): Promise<RunResult> {
    this.requests.push(request);
    signal?.addEventListener('abort', () => this.aborted.push(request.code));
    return this.answer(request, onOutput, signal);
  }

  readonly lean: { -readonly [K in keyof LeanEngine]: LeanEngine[K] } = {
    check: async (request) => {
      this.checks.push(request);
      return { ok: true, value: request.proofs.map(({ id }) => checkAnswer({ id: id ?? null })) };
    },
    goals: async (request) => {
      this.checks.push(request);
      return { ok: true, value: { ...checkAnswer(), goals: [{ line: 1, column: 2, goals: ['⊢ p'] }] } };
    },
    tryTactics: async (request) => {
      this.checks.push(request);
      const value = request.tactics.map((tactic) => ({
        ...{ tactic, goals: [], error: null, verdict: 'accepted' as const, durationMs: 1 },
        ...{ messages: [], messageCount: 0, truncated: false },
      }));
      return { ok: true, value };
    },
  };

  async tryCode(...[sessionId, candidates, options]: Parameters<Engine['tryCode']>): ReturnType<Engine['tryCode']> {
    this.trials.push([sessionId, candidates, options]);
    const found = this.#find(sessionId);
    if (!found.ok) return found;
    const results = candidates.map(({ id, code }, index) => ({
      id: id ?? String(index + 1),
      result: runResult({ stdout: code, sessionId }),
    }));
    return { ok: true, value: { candidates: results, kept: null, losses: this.losses } };
  }

  async openSession(...[, owner]: Parameters<Engine['openSession']>) {
    const session = sessionInfo({ id: `s${this.sessions.length + 1}`, owner, lastUsedAt: Date.now() });
    this.sessions.push(session);
    return { ok: true as const, value: session };
  }

  async resumeSession({ sessionId }: SessionRecord) {
    return { ok: false, error: unknownSession(sessionId, []) } as const;
  }

  async detach() {}

  async closeSession(id: string) {
    this.closed.push(id);
    return this.#find(id);
  }

  async interruptSession(id: string) {
    return this.#find(id);
  }

  async shareSession(id: string) {
    return this.#find(id);
  }

  /** Tests of what owners see use a real engine. */
  asOwner(): Engine {
    return this;
  }

  async restartSession(id: string) {
    return this.#find(id);
  }

  async installPackages(request: InstallRequest): Promise<Result<InstallReport>> {
    this.installs.push(request);
    return this.onInstall(request);
  }

  keepCells() {}

  cells(id: string) {
    return { ok: false as const, error: unknownSession(id, []) };
  }

  files(id: string): SessionFiles {
    return sessionFiles(() => ({ ok: false, error: unknownSession(id, []) }));
  }

  view(id: string): SessionView {
    return sessionView(() => ({ ok: false, error: unknownSession(id, []) }));
  }

  async hover() {
    return { ok: true as const, value: null };
  }

  async definition() {
    return { ok: true as const, value: [] };
  }

  async complete() {
    return { ok: true as const, value: { start: 0, end: 0, matches: [] } };
  }

  async stopSandbox() {}

  async buildProxy(): Promise<Result<string>> {
    return { ok: true, value: 'hothouse/proxy:latest' };
  }

  async buildEnvironment(...[language, , , extras]: Parameters<Engine['buildEnvironment']>) {
    this.builds.push([language, extras]);
    return { ok: true as const, value: 'image' };
  }

  async preflight(): Promise<Preflight> {
    return { host: { info: null, problem: null }, runtime: null, environments: [] };
  }

  async checkWalls() {
    return this.walls;
  }

  snapshot(): Snapshot {
    const network = { policy: 'none' as const, allow: [], decisions: [] };
    return { host: { state: 'unknown' as const }, environments: [], sessions: this.sessions, running: 0, network };
  }

  configure() {}

  async dispose() {
    this.disposals += 1;
  }

  #find(id: string) {
    const value = this.sessions.find((session) => session.id === id);
    if (value) return { ok: true as const, value };
    const advice = 'Open one with open_session.';
    return {
      ok: false as const,
      error: { kind: 'unknown_session' as const, message: `There is no session ${id}.`, advice },
    };
  }
}

/** Environments in memory that need no build. */
function catalogStub(): Environments {
  const kept = new Map<string, EnvironmentRecord>();
  const find = async (name: string): Promise<Result<EnvironmentRecord>> => {
    const value = kept.get(name);
    return value ? { ok: true, value } : { ok: false, error: unknownEnvironment(name, [...kept.keys()]) };
  };
  return {
    async create(input, { onLine, by, isApproved, consent } = {}) {
      const { definition, problems } = parseDefinition(input, LANGUAGES);
      if (!definition)
        return { ok: false, error: invalidRequest(problems.map(formatDefinitionProblem).join(' '), 'Correct it.') };
      if (needsConsent(definition.network) && NetworkConsent.digestFor(definition, consent) === null) {
        return { ok: false, error: needsNetworkConsent(definition.name, formatEnvironmentNetwork(definition.network)) };
      }
      if (by?.kind === 'mcp' && !isApproved) return { ok: false, error: agentsNeedApproval() };
      onLine?.('building');
      const hash = definitionHash(definition);
      const record = { ...definition, hash, image: environmentImage(hash), lock: { base: 'sha256:0' }, createdAt: 0 };
      kept.set(definition.name, record);
      return { ok: true, value: record };
    },
    list: async () => [...kept.values()],
    find,
    async remove(name) {
      const found = await find(name);
      kept.delete(name);
      return found;
    },
  };
}
