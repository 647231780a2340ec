import { window } from 'vscode';
import { blockingProblems, readinessText } from '../../engine/preflight.ts';
import type { EngineProblem, Preflight } from '../../engine/types.ts';
import { wallRows, wallsOf } from '../../engine/walls.ts';
import type { App } from '../app.ts';
import { formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';
import { applyFix, fixFor, showProblem } from './fixProblem.ts';

/** Checks everything, writes a report to the log and shows the result. */
export async function doctor(app: App): Promise<void> {
  const found = await app.health.check();
  const blocking = blockingProblems(found);
  const errors = blocking.map(({ problem }) => problem);
  for (const line of reportLines(found, errors)) app.log.info(line);
  const [worst] = blocking;
  if (worst) return showProblem(worst.problem, worst.language, app);
  const walls = await wallsOf(await app.engine.get(), found);
  if (walls?.ok === false) return showProblem(walls.error, found.environments[0]?.language ?? '', app);
  for (const { name, text } of walls ? wallRows(walls.value) : []) app.log.info(`wall ${name}: ${text}`);
  await showReadiness(found, app);
}

async function showReadiness(found: Preflight, app: App): Promise<void> {
  const text = readinessText(found, (language) => editorLanguage(language).name);
  app.log.info(text);
  // Those that need a container engine are for whoever has one.
  const lacking = found.environments.find(({ problem }) => problem && problem.kind !== 'needs_engine');
  const fix = lacking?.problem && fixFor(lacking.problem, lacking.language);
  const show = 'Show Log';
  const buttons = [...(fix ? [fix.label] : []), show];
  const chosen = await window.showInformationMessage(`${found.host.info?.name ?? 'Hothouse'}: ${text}`, ...buttons);
  if (chosen === show) app.log.show();
  else if (chosen && fix && lacking) await applyFix(fix, lacking.language, app);
}

type Problems = readonly EngineProblem[];

function reportLines({ host, runtime, environments }: Preflight, errors: Problems): string[] {
  return [
    host.info ? `ok: ${[host.info.name, ...host.info.details, `runtime ${runtime}`].join(', ')}` : '',
    host.info?.reason ? `note: ${host.info.reason}` : '',
    host.problem ? errorLine(host.problem) : '',
    // Without a host nothing is known of them.
    ...(host.info ? environments.map((environment) => environmentLine(environment, errors)) : []),
  ].filter(Boolean);
}

function environmentLine({ id, imageName, problem }: Preflight['environments'][number], errors: Problems): string {
  if (!problem) return `ok: environment ${id}, image ${imageName}`;
  return errors.includes(problem) ? errorLine(problem) : `note: ${formatProblem(problem)}`;
}

function errorLine(problem: EngineProblem): string {
  const { command } = problem;
  return `error: ${formatProblem(problem)}${command === undefined ? '' : ` Command: ${command}`}`;
}
