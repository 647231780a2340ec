import type { Steps } from '../base/slices.ts';
import type { DisplayAnswer } from './displays.ts';
import { reportText } from './leanAnswer.ts';
import type { RunAnswer } from './runAnswer.ts';

/** A run's end for reading: what it wrote, its value, what it showed, what went wrong, and a last line of facts. */
export function* runText(run: RunAnswer): Steps<string> {
  const state = run.state && (yield* stateText(run.state));
  const parts = [
    run.stdout.trimEnd(),
    section('stderr', run.stderr.trimEnd()),
    ...run.displays.map(displayText),
    section('result', run.result),
    section(
      'error',
      isReported(run)
        ? null
        : run.error && (run.error.traceback.trimEnd() || `${run.error.name}: ${run.error.message}`),
    ),
    reportText(run, true),
    ...run.later.map((later) => section(`${later.cell}, checked again: ${later.verdict}`, laterText(later))),
    ...run.notes,
    section('state', state),
    facts(run),
  ];
  yield;
  return parts.filter(Boolean).join('\n');
}

/** The variables as JSON, one a step. */
function* stateText(state: Readonly<Record<string, unknown>>): Steps<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(state)) {
    members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    yield;
  }
  return `{${members.join(',')}}`;
}

/** What Lean rejects is among its messages already. */
function isReported({ messages }: RunAnswer): boolean {
  return messages.some(({ severity }) => severity === 'error');
}

function laterText(later: RunAnswer['later'][number]): string {
  return reportText({ ...later, axioms: null }, false) || 'nothing more to say';
}

function section(label: string, text: string | null): string {
  return text ? `[${label}]\n${text}` : '';
}

function displayText({ mime_types, texts, image_index, is_result }: DisplayAnswer): string {
  const label = `[${is_result ? 'result' : 'display'}: ${mime_types.join(', ')}`;
  if (image_index !== null) return `${label}; image ${image_index}]`;
  // The result's plain text has a section of its own.
  const text = is_result ? undefined : (texts['text/plain'] ?? Object.values(texts)[0]);
  return text ? `${label}]\n${text}` : `${label}]`;
}

function facts(run: RunAnswer): string {
  const facts = [
    run.status,
    run.verdict ?? '',
    run.exit_code === null ? '' : `exit code ${run.exit_code}`,
    `${run.duration_ms} ms`,
    run.truncated ? 'output was truncated' : '',
    run.session_id === null ? '' : `session ${run.session_id}`,
    `run ${run.run_id}`,
  ];
  return `[${facts.filter(Boolean).join(', ')}]`;
}
