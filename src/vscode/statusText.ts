import type { EngineProblem, SessionInfo, Snapshot } from '../engine/types.ts';
import { formatCount, formatHost, formatProblem } from './format.ts';
import { ALL_LANGUAGES } from './languages.ts';

/** The content of the status bar item. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

/** Shows, in this order: a problem, the number of running cells, the number of warm sandboxes. */
export function statusText({ host, environments, sessions, running }: Snapshot, problem?: EngineProblem): StatusText {
  if (problem) {
    return { text: '$(warning) Hothouse', tooltip: formatProblem(problem), warning: true };
  }
  const warm = environments.flatMap(({ sandboxes }) => sandboxes).filter(({ state }) => state === 'idle').length;
  const parts = [formatCount(warm, 'warm sandbox', 'warm sandboxes'), formatSessions(sessions), `${running} running`];
  const tooltip = [`Hothouse: ${parts.join(', ')}`, ...formatHost(host)].join('\n');
  if (running > 0) return { text: `$(loading~spin) Hothouse ${running}`, tooltip, warning: false };
  if (warm > 0) return { text: `$(flame) Hothouse ${warm}`, tooltip, warning: false };
  return { text: '$(flame) Hothouse', tooltip, warning: false };
}

/** `2 sessions (1 Python, 1 Lean)`. */
function formatSessions(sessions: readonly SessionInfo[]): string {
  const total = formatCount(sessions.length, 'session');
  const counts = ALL_LANGUAGES.map(({ id, name }) => ({
    name,
    count: sessions.filter(({ language }) => language === id).length,
  }));
  const present = counts.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`);
  return present.length === 0 ? total : `${total} (${present.join(', ')})`;
}
