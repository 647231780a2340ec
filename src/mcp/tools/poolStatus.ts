import { z } from 'zod';
import { plainText } from '../../base/log.ts';
import type { EnvironmentInfo, SlotState, Snapshot } from '../../engine/types.ts';
import { defineTool, success } from '../tool.ts';

const STATES: readonly SlotState[] = ['idle', 'leased', 'booting', 'resetting', 'retiring'];
const Count = z.int().optional();

const PoolAnswer = z.strictObject({
  environment: z.string(),
  language: z.string(),
  idle: Count.describe('Warm sandboxes that wait for a run.'),
  leased: Count.describe('Sandboxes in use by runs and sessions.'),
  booting: Count,
  resetting: Count,
  retiring: Count,
  waiting: Count.describe('Runs that wait for a sandbox.'),
  runs: Count.describe('Runs done since the engine started.'),
  memory_bytes: Count.describe('Of its sandboxes, where it is known.'),
});

/** `pool_status`. */
export const poolStatus = defineTool({
  name: 'pool_status',
  title: 'Pool Status',
  description: [
    'Shows the sandboxes of each environment and whether the host of sandboxes is available.',
    'Use it when runs wait or fail with sandbox_lost. A count that is absent is 0.',
  ].join('\n'),
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.strictObject({
    host: z.enum(['unknown', 'ready', 'unavailable']).describe('unknown: no sandbox was needed so far.'),
    problem: z.string().optional().describe('Why the host is unavailable.'),
    advice: z.string().optional(),
    running: z.int().describe('Runs in progress, of all clients.'),
    pools: z.array(PoolAnswer),
  }),
  async call(_input, { engine }) {
    const { host, environments, running } = engine.snapshot();
    const pools = environments.map(poolFields);
    const fields = { host: host.state, ...problemOf(host), running, pools };
    const lines = [`Host ${host.state}, ${running} running`, ...Object.values(problemOf(host)), ...pools.map(poolLine)];
    return success(fields, lines.join('\n'));
  },
});

function problemOf(host: Snapshot['host']): { problem?: string; advice?: string } {
  if (host.state !== 'unavailable') return {};
  return { problem: plainText(host.problem.message), advice: plainText(host.problem.advice) };
}

function poolFields({ id, language, sandboxes, waiting, runs }: EnvironmentInfo): z.infer<typeof PoolAnswer> {
  const states = STATES.map((state) => [state, sandboxes.filter((sandbox) => sandbox.state === state).length] as const);
  const bytes = sandboxes.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  const counts = [...states, ['waiting', waiting] as const, ['runs', runs] as const, ['memory_bytes', bytes] as const];
  return { environment: id, language, ...Object.fromEntries(counts.filter(([, count]) => count > 0)) };
}

function poolLine({ environment, language, ...counts }: z.infer<typeof PoolAnswer>): string {
  const facts = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return `${environment} (${language}): ${facts.join(', ') || 'no sandboxes'}`;
}
