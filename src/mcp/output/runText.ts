import type { Steps } from '../../base/slices.ts';
import type { DescribedReport } from '../../languages/languageTools.ts';
import { filesText } from '../files/madeFiles.ts';
import type { DisplayAnswer } from './displays.ts';
import type { RunAnswer } from './runAnswer.ts';

/** Links that the text names; structured content has all. */
const MAX_LINKS = 20;

/** The text of a run's result: output, displays, value, error, report, and a last line of facts. */
export function* runText(run: RunAnswer, report: DescribedReport): Steps<string> {
  const state = run.state && (yield* stateText(run.state));
  const parts = [
    run.stdout?.trimEnd() ?? '',
    section('stderr', run.stderr?.trimEnd()),
    ...(run.displays ?? []).map(displayText),
    section('result', run.result),
    section(
      'error',
      report.hasErrors
        ? null
        : run.error && (run.error.traceback?.trimEnd() || `${run.error.name}: ${run.error.message}`),
    ),
    ...report.texts,
    run.files ? filesText(run.files) : '',
    section(
      'links',
      (run.links ?? [])
        .slice(0, MAX_LINKS)
        .map(({ uri }) => uri)
        .join('\n'),
    ),
    ...(run.notes ?? []),
    section('state', state),
    facts(run, report.verdict),
  ];
  yield;
  return parts.filter(Boolean).join('\n');
}

/** The variables as JSON, one per step. */
function* stateText(state: Readonly<Record<string, unknown>>): Steps<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(state)) {
    members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    yield;
  }
  return `{${members.join(',')}}`;
}

function section(label: string, text: string | null | undefined): string {
  return text ? `[${label}]\n${text}` : '';
}

function displayText({ mime_types, texts, image_index, is_result }: DisplayAnswer): string {
  const label = `[${is_result ? 'result' : 'display'}: ${mime_types.join(', ')}`;
  if (image_index !== undefined) return `${label}; image ${image_index}]`;
  // The result's plain text has a section of its own.
  const text = is_result ? undefined : (texts?.['text/plain'] ?? Object.values(texts ?? {})[0]);
  return text ? `${label}]\n${text}` : `${label}]`;
}

function facts(run: RunAnswer, verdict: string | null): string {
  const facts = [
    run.status,
    verdict ?? '',
    run.exit_code === undefined ? '' : `exit code ${run.exit_code}`,
    `${run.duration_ms} ms`,
    run.truncated ? 'output was truncated' : '',
    run.session_id === undefined ? '' : `session ${run.session_id}`,
    `run ${run.run_id}`,
  ];
  return `[${facts.filter(Boolean).join(', ')}]`;
}
