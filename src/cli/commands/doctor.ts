import { plainText } from '../../base/log.ts';
import type { Configuration } from '../../config/config.ts';
import { obstaclesIn, readinessText } from '../../engine/obstacles.ts';
import type { EngineProblem, Preflight } from '../../engine/types.ts';
import type { HostInfo } from '../../host/host.ts';
import { hostAdvice } from '../advice.ts';
import { type Command, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { jsonLine, problemText } from '../terminal.ts';

/** Tells what was found and what is wrong. */
export const doctor: Command = {
  name: 'doctor',
  usage: 'doctor',
  summary: 'Tell what was found on this machine and what is wrong with it.',
  help: [
    '--json                print it as one JSON object',
    '',
    'Exit status: 0 when everything can be used, otherwise 1. Of the languages one has to be there.',
  ],
  options: { json: { type: 'boolean' } },
  async run(context, args) {
    const preflight = await withEngine(context, (engine) => engine.preflight(context.signal));
    const report = reportOf(preflight, context.configuration);
    const inTheWay = obstaclesIn(preflight).map(({ problem }) => problem);
    const lines = [...reportLines(report, inTheWay), readinessText(preflight, (language) => language)];
    const text = args.values.json ? jsonLine(report, 2) : `${plainText(lines.join('\n'))}\n`;
    context.terminal.stdout.write(text);
    return inTheWay.length === 0 ? 0 : FAILURE_STATUS;
  },
};

function reportOf({ host, runtime, environments }: Preflight, { files, problems, notes }: Configuration) {
  return {
    host,
    runtime,
    environments,
    config: { files, problems, notes: notes.map(({ text }) => text) },
    advice: host.info ? hostAdvice(host.info) : [],
  };
}

function reportLines(
  { host, runtime, environments, config, advice }: ReturnType<typeof reportOf>,
  inTheWay: readonly EngineProblem[],
): string[] {
  return [
    ...(host.info ? [`ok    ${hostText(host.info, host.problem ? null : runtime)}`] : []),
    ...(host.problem ? [wrong(problemText(host.problem))] : []),
    ...environments.map((environment) => environmentText(environment, inTheWay)),
    ...config.files.map((file) => `ok    configuration ${file}`),
    ...config.problems.map(wrong),
    ...[...config.notes, ...advice].map((line) => `note  ${line}`),
  ];
}

function environmentText(
  { id, imageName, problem }: Preflight['environments'][number],
  inTheWay: readonly EngineProblem[],
): string {
  if (!problem) return `ok    environment ${id}, image ${imageName}`;
  return inTheWay.includes(problem) ? wrong(problemText(problem)) : `note  ${problem.message} ${problem.advice}`;
}

function hostText({ name, rootless }: HostInfo, runtime: string | null): string {
  return [name, rootless ? 'rootless' : 'rootful', ...(runtime === null ? [] : [`runtime ${runtime}`])].join(', ');
}

function wrong(text: string): string {
  return `wrong ${text.replaceAll('\n', '\n      ')}`;
}
