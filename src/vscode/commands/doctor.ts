import { window } from 'vscode';
import type { EngineProblem, Preflight } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { tellProblem } from './fix.ts';

/** Looks at everything anew, writes what was found to the log and says the verdict. */
export async function doctor(app: App): Promise<void> {
  const found = await app.health.check();
  for (const line of reportLines(found)) app.log.info(line);
  const { problem } = app.health;
  if (problem) return tellProblem(problem, app);
  const show = 'Show Log';
  const chosen = await window.showInformationMessage(
    `Hothouse is ready: ${found.host.info?.name ?? 'host found'}.`,
    show,
  );
  if (chosen === show) app.log.show();
}

function reportLines({ host, runtime, environments }: Preflight): string[] {
  return [
    host.info ? `ok: ${host.info.name}, API ${host.info.apiVersion}, runtime ${runtime}` : '',
    host.problem ? wrong(host.problem) : '',
    ...environments.map(({ id, imageName, problem }) =>
      problem ? wrong(problem) : `ok: environment ${id}, image ${imageName}`,
    ),
  ].filter(Boolean);
}

function wrong({ message, advice, command }: EngineProblem): string {
  return `wrong: ${message} ${advice}${command === undefined ? '' : ` Command: ${command}`}`;
}
