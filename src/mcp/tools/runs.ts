import { z } from 'zod';
import { KEEP_TASK_MS, type Task } from '../tasks/task.ts';
import { unknownTask } from '../tasks/taskMethods.ts';
import { tasksOf } from '../tasks/tasks.ts';
import { MAX_WAIT_SECONDS, runningAnswer, waitFor } from '../tasks/waiting.ts';
import { defineTool, failure, success } from '../tool.ts';

const RunFacts = z.strictObject({
  run_id: z.string(),
  tool: z.string(),
  status: z.string(),
  started_at: z.string().describe('ISO 8601'),
});

/** `run_status`. */
export const runStatus = defineTool({
  name: 'run_status',
  title: 'Run Status',
  description: [
    'Returns the result of a run, or its output so far with status running.',
    `Runs of this client are known while they go on and for ${KEEP_TASK_MS / 60_000} minutes after their end. Without run_id it lists them.`,
  ].join('\n'),
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    run_id: z.string().optional().describe('From run_code or another tool with wait_seconds. Default: lists the runs.'),
    wait_seconds: z
      .number()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .optional()
      .describe('How long to wait for the end of the run. Default: 0.'),
  }),
  output: z.looseObject({
    run_id: z.string().optional(),
    status: z.string().optional(),
    runs: z.array(RunFacts).optional().describe('Without run_id: the runs of this client, the latest first.'),
  }),
  async call({ run_id, wait_seconds = 0 }, { engine, owner, signal }) {
    const tasks = tasksOf(engine);
    if (run_id === undefined) return listAnswer(tasks.of(owner.id));
    const task = tasks.find(owner.id, run_id);
    if (!task) return failure(unknownTask(run_id));
    await waitFor(task, wait_seconds * 1000, signal);
    if (task.result) return task.result;
    return task.isEnded ? failure(`The call ${task.tool} failed inside the server.`) : runningAnswer(task);
  },
});

/** `cancel_run`. */
export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Run Cancellation',
  description: 'Ends a run that is in progress. Its output so far stays in run_status, and its session stays open.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ run_id: z.string().describe('From run_code or another tool with wait_seconds.') }),
  output: RunFacts,
  async call({ run_id }, { engine, owner }) {
    const task = tasksOf(engine).find(owner.id, run_id);
    if (!task) return failure(unknownTask(run_id));
    task.cancel();
    await task.ended;
    return success(factsOf(task), lineOf(task));
  },
});

function listAnswer(tasks: readonly Task[]) {
  const text = tasks.length === 0 ? 'There are no runs.' : tasks.map(lineOf).join('\n');
  return success({ runs: tasks.map(factsOf) }, text);
}

function factsOf(task: Task): z.infer<typeof RunFacts> {
  const status = task.isEnded ? statusOf(task.result) : 'running';
  const started_at = new Date(task.createdAtMs).toISOString();
  return { run_id: task.id, tool: task.tool, status, started_at };
}

function statusOf(result: Task['result']): string {
  if (!result) return 'failed';
  const { status } = (result.structuredContent ?? {}) as { status?: unknown };
  return typeof status === 'string' ? status : result.isError ? 'error' : 'ok';
}

function lineOf(task: Task): string {
  const { run_id, tool, status, started_at } = factsOf(task);
  return `${run_id}: ${tool}, ${status}, started ${started_at}`;
}
