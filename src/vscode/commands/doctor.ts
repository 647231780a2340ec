import { window } from 'vscode';
import type { EngineProblem, LanguageId, Preflight } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { tellProblem } from './fix.ts';

/** Looks at everything anew, writes what was found to the log and says the verdict. */
export async function doctor(app: App): Promise<void> {
  const found = await app.health.check();
  for (const line of reportLines(found, app.health.language)) app.log.info(line);
  const { problem, language } = app.health;
  if (problem) return tellProblem(problem, language, app);
  const show = 'Show Log';
  const chosen = await window.showInformationMessage(
    `Hothouse is ready: ${found.host.info?.name ?? 'host found'}.`,
    show,
  );
  if (chosen === show) app.log.show();
}

function reportLines({ host, runtime, environments }: Preflight, wanted: LanguageId): string[] {
  return [
    host.info ? `ok: ${host.info.name}, API ${host.info.apiVersion}, runtime ${runtime}` : '',
    host.problem ? wrong(host.problem) : '',
    ...environments.map((environment) => environmentLine(environment, wanted)),
  ].filter(Boolean);
}

type FoundEnvironment = Preflight['environments'][number];

function environmentLine({ id, imageName, language, problem }: FoundEnvironment, wanted: LanguageId): string {
  if (!problem) return `ok: environment ${id}, image ${imageName}`;
  // Nobody has to want every language.
  const isUnused = language !== wanted && problem.kind === 'image_missing';
  return isUnused ? `note: ${problem.message} ${problem.advice}` : wrong(problem);
}

function wrong({ message, advice, command }: EngineProblem): string {
  return `wrong: ${message} ${advice}${command === undefined ? '' : ` Command: ${command}`}`;
}
