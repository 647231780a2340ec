import { Command } from 'commander';
import { plainText } from '../../base/log.ts';
import type { Configuration } from '../../config/config.ts';
import { formatPolicy } from '../../engine/network/describe.ts';
import { blockingProblems, readinessText } from '../../engine/preflight.ts';
import type { EngineProblem, Preflight, Result, Walls } from '../../engine/types.ts';
import { wallRows, wallsOf } from '../../engine/walls.ts';
import type { HostInfo } from '../../host/host.ts';
import { type Handle, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { jsonLine, problemText } from '../terminal.ts';

/** `hothouse doctor`: prints what is installed, what is missing and what to do next. */
export function doctorCommand(handle: Handle): Command {
  return new Command('doctor')
    .description('Check where sandboxes run, environments and configuration')
    .option('--json', 'print the report as one JSON object')
    .addHelpText(
      'after',
      '\nExit status:\n  0 when at least one language is ready and the host has no error, otherwise 1',
    )
    .action(
      handle(async (context, options: { readonly json?: boolean }) => {
        const { preflight, walls, network } = await withEngine(context, async (engine) => {
          const found = await engine.preflight(context.signal);
          const checked = await wallsOf(engine, found, context.signal);
          return { preflight: found, walls: checked, network: engine.snapshot().network };
        });
        const report = {
          ...reportOf(preflight, context.configuration),
          walls: walls?.ok ? walls.value : null,
          network,
        };
        const blocking = blockingProblems(preflight).map(({ problem }) => problem);
        const lines = [
          ...reportLines(report, blocking),
          `${network.policy === 'full' ? 'note ' : 'ok   '} network ${formatPolicy(network)}`,
          ...(walls ? wallLines(walls) : []),
          readinessText(preflight, (language) => language),
        ];
        const text = options.json ? jsonLine(report, 2) : `${plainText(lines.join('\n'))}\n`;
        context.terminal.stdout.write(text);
        return blocking.length === 0 && walls?.ok !== false ? 0 : FAILURE_STATUS;
      }),
    );
}

function wallLines(walls: Result<Walls>): string[] {
  if (!walls.ok) return [errorText(problemText(walls.error))];
  return wallRows(walls.value).map(
    ({ name, state, text }) => `${state === 'holds' ? 'ok  ' : 'note'}  wall ${name}: ${text}`,
  );
}

function reportOf({ host, runtime, environments }: Preflight, { files, problems, notes }: Configuration) {
  return {
    host,
    runtime,
    environments,
    config: { files, problems, notes: notes.map(({ text }) => text) },
    advice: host.info?.warnings ?? [],
  };
}

function reportLines(
  { host, runtime, environments, config, advice }: ReturnType<typeof reportOf>,
  blocking: readonly EngineProblem[],
): string[] {
  return [
    ...(host.info ? [`ok    ${hostText(host.info, host.problem ? null : runtime)}`] : []),
    ...(host.info?.reason ? [`note  ${host.info.reason}`] : []),
    ...(host.problem ? [errorText(problemText(host.problem))] : []),
    // Without a host nothing is known of them.
    ...(host.info ? environments.map((environment) => environmentText(environment, blocking)) : []),
    ...config.files.map((file) => `ok    configuration ${file}`),
    ...config.problems.map(errorText),
    ...[...config.notes, ...advice].map((line) => `note  ${line}`),
  ];
}

function environmentText(
  { id, imageName, problem }: Preflight['environments'][number],
  blocking: readonly EngineProblem[],
): string {
  if (!problem) return `ok    environment ${id}, image ${imageName}`;
  return blocking.includes(problem) ? errorText(problemText(problem)) : `note  ${problem.message} ${problem.advice}`;
}

function hostText({ name, details }: HostInfo, runtime: string | null): string {
  return [name, ...details, ...(runtime === null ? [] : [`runtime ${runtime}`])].join(', ');
}

function errorText(text: string): string {
  return `error ${text.replaceAll('\n', '\n      ')}`;
}
