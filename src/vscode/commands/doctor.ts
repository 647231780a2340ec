import { window } from 'vscode';
import { obstaclesIn } from '../../engine/obstacles.ts';
import type { EngineProblem, Preflight } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { tellProblem } from './fix.ts';

/** Looks at everything anew, writes what was found to the log and says the verdict. */
export async function doctor(app: App): Promise<void> {
  const found = await app.health.check();
  const obstacles = obstaclesIn(found);
  const inTheWay = obstacles.map(({ problem }) => problem);
  for (const line of reportLines(found, inTheWay)) app.log.info(line);
  const [worst] = obstacles;
  if (worst) return tellProblem(worst.problem, worst.language, app);
  const show = 'Show Log';
  const chosen = await window.showInformationMessage(
    `Hothouse is ready: ${found.host.info?.name ?? 'host found'}.`,
    show,
  );
  if (chosen === show) app.log.show();
}

type Problems = readonly EngineProblem[];

function reportLines({ host, runtime, environments }: Preflight, inTheWay: Problems): string[] {
  return [
    host.info ? `ok: ${host.info.name}, API ${host.info.apiVersion}, runtime ${runtime}` : '',
    host.problem ? wrong(host.problem) : '',
    ...environments.map((environment) => environmentLine(environment, inTheWay)),
  ].filter(Boolean);
}

function environmentLine({ id, imageName, problem }: Preflight['environments'][number], inTheWay: Problems): string {
  if (!problem) return `ok: environment ${id}, image ${imageName}`;
  return inTheWay.includes(problem) ? wrong(problem) : `note: ${problem.message} ${problem.advice}`;
}

function wrong({ message, advice, command }: EngineProblem): string {
  return `wrong: ${message} ${advice}${command === undefined ? '' : ` Command: ${command}`}`;
}
