import type { Environment } from '../environment/environment.ts';
import type { RunTerms } from '../run/execute.ts';
import { resultOf } from '../run/result.ts';
import { newRunId } from '../run/run.ts';
import type { Session } from '../session/session.ts';
import type { Choice } from '../session/trial.ts';
import type { Result } from '../types.ts';
import { FIRST_OK, type TryResult } from './types.ts';
import type { NamedCandidate } from './validateTrial.ts';

const NO_LOSSES = { threads: 0, sockets: 0 };

/** Runs valid candidates on copies of a session. Never rejects. */
export async function tryInSession(
  session: Session,
  environment: Environment,
  candidates: readonly NamedCandidate[],
  terms: RunTerms,
  keep: string | undefined,
): Promise<Result<TryResult>> {
  const ids = candidates.map(({ id }) => id);
  const codes = candidates.map(({ code }) => code);
  const answer = await session.tryCode(codes, terms, choiceOf(keep, ids));
  if (answer.kind === 'refused') return { ok: false, error: answer.problem };
  const { tried, loss } = answer;
  const context = { memory: session.memory, sessionId: session.id, loss, files: null };
  const results = tried.executed.map((executed) => {
    environment.countRun();
    return resultOf(executed, { ...context, runId: newRunId() });
  });
  return {
    ok: true,
    value: {
      candidates: results.map((result, index) => ({ id: ids[index] ?? '', result })),
      kept: (tried.kept && ids[tried.kept.index]) ?? null,
      losses: tried.losses ?? NO_LOSSES,
    },
  };
}

function choiceOf(keep: string | undefined, ids: readonly string[]): Choice {
  if (keep === undefined) return 'none';
  return keep === FIRST_OK ? 'first' : ids.indexOf(keep);
}
