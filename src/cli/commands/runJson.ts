import type { RunResult } from '../../engine/types.ts';
import { reportFields } from '../../mcp/leanAnswer.ts';
import { type SavedDisplay, shownBy } from '../displayFiles.ts';

/**
 * A run's result as `--json` prints it, with what Lean says of its code as agents get it; a display that was saved names
 * its file in place of the content.
 */
export function runJson(result: RunResult, saved: readonly SavedDisplay[]) {
  const { truncated, ...report } = reportFields(result.report, result.verdict, Boolean(result.report?.axioms));
  return {
    run_id: result.runId,
    status: result.status,
    exit_code: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    result: result.result?.['text/plain'] ?? null,
    error: result.error,
    displays: shownBy(result).map((data) => displayJson(data, saved)),
    state: result.state,
    ...report,
    notes: result.report?.notes ?? [],
    truncated: result.truncated || truncated,
    duration_ms: result.durationMs,
    peak_memory_bytes: result.peakMemoryBytes,
  };
}

function displayJson(data: SavedDisplay['data'], saved: readonly SavedDisplay[]) {
  const entry = saved.find((candidate) => candidate.data === data);
  const kept = Object.entries(data).filter(([mimeType]) => mimeType !== entry?.mimeType);
  return { mime_types: Object.keys(data), data: Object.fromEntries(kept), file: entry?.file ?? null };
}
