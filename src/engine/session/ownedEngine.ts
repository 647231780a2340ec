import type { LanguageQuestions } from '../../languages/registry.ts';
import { sessionFiles } from '../files/sessionFiles.ts';
import { sessionView } from '../files/sessionView.ts';
import { invalidRequest } from '../problems.ts';
import { notRun } from '../run/result.ts';
import { newRunId } from '../run/run.ts';
import type { Engine, Result, Snapshot } from '../types.ts';
import type { Session } from './session.ts';
import { isVisible, type Viewer } from './viewer.ts';

/** The part of an engine without the questions of its languages. */
type General = Omit<Engine, keyof LanguageQuestions>;

/** What a view needs of its engine. */
export interface OwnedEngineDependencies {
  readonly engine: General;
  readonly viewer: Viewer;
  /** The session of that id if the viewer sees it, otherwise what an id that was never given returns. */
  readonly find: (id: string) => Result<Session>;
}

/**
 * An engine as one agent sees it, see `Engine.asOwner`. A call for a session asks `find` first, so that an unknown id and
 * a foreign session have the same answer after the same steps.
 */
export function ownedEngine({ engine, viewer, find }: OwnedEngineDependencies): General {
  const inSession = async <T>(id: string, call: () => Promise<Result<T>>): Promise<Result<T>> => {
    const found = find(id);
    return found.ok ? call() : found;
  };
  return {
    key: engine.key,
    languages: engine.languages,
    onDidChange: engine.onDidChange,
    environments: {
      create: (input, how) => engine.environments.create(input, how),
      list: () => engine.environments.list(),
      find: (name) => engine.environments.find(name),
      remove: async () => refused('removes environments'),
    },
    asOwner: (ownerId) => engine.asOwner(ownerId),
    async run(request, onOutput, signal) {
      const found = request.sessionId === undefined ? null : find(request.sessionId);
      if (found && !found.ok) return notRun(newRunId(), found.error, request.sessionId);
      return engine.run(request, onOutput, signal);
    },
    tryCode: (id, ...rest) => inSession(id, () => engine.tryCode(id, ...rest)),
    openSession: (...args) => engine.openSession(...args),
    closeSession: (id) => inSession(id, () => engine.closeSession(id)),
    interruptSession: (id) => inSession(id, () => engine.interruptSession(id)),
    restartSession: (id) => inSession(id, () => engine.restartSession(id)),
    installPackages: (request, ...rest) => inSession(request.sessionId, () => engine.installPackages(request, ...rest)),
    keepCells: () => engine.keepCells(),
    cells(id) {
      const found = find(id);
      return found.ok ? engine.cells(id) : found;
    },
    files: (id) => sessionFiles(() => find(id)),
    view: (id) => sessionView(() => find(id)),
    complete: (id, ...rest) => inSession(id, () => engine.complete(id, ...rest)),
    hover: (id, ...rest) => inSession(id, () => engine.hover(id, ...rest)),
    definition: (id, ...rest) => inSession(id, () => engine.definition(id, ...rest)),
    preflight: (signal) => engine.preflight(signal),
    checkWalls: (language, signal) => engine.checkWalls(language, signal),
    snapshot: () => visiblePart(engine.snapshot(), viewer),
    // What only people do.
    shareSession: async () => refused('shares sessions'),
    resumeSession: async () => refused('resumes sessions'),
    buildEnvironment: async () => refused('builds the environment of a language'),
    buildProxy: async () => refused('builds the proxy'),
    stopSandbox: async () => {},
    configure() {},
    dispose: async () => {},
    detach: async () => {},
  };
}

function refused(what: string): Extract<Result<never>, { ok: false }> {
  return { ok: false, error: invalidRequest(`Only a person ${what}.`, 'Ask the user.') };
}

/** The snapshot without foreign sessions, and without what names other owners. */
function visiblePart(snapshot: Snapshot, viewer: Viewer): Snapshot {
  const sessions = snapshot.sessions.filter((session) => isVisible(session, viewer));
  const visible = new Set<string | null>(sessions.map(({ id }) => id));
  const all = snapshot.environments.flatMap(({ sandboxes }) => sandboxes);
  const own = new Set(all.flatMap(({ id, owner }) => (owner?.id === viewer.id ? [id] : [])));
  const environments = snapshot.environments.map((environment) => ({
    ...environment,
    sandboxes: environment.sandboxes.map((sandbox) =>
      own.has(sandbox.id) || visible.has(sandbox.sessionId) ? sandbox : { ...sandbox, owner: null, sessionId: null },
    ),
  }));
  const decisions = snapshot.network.decisions.filter(({ sessionId, sandboxId }) =>
    sessionId === null ? own.has(sandboxId) : visible.has(sessionId),
  );
  return { ...snapshot, environments, sessions, network: { ...snapshot.network, decisions } };
}
