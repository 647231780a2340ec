import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { LongTexts } from '../output/longTexts.ts';
import type { Task } from './task.ts';

/** The longest that a client can wait in one request, in seconds. */
export const MAX_WAIT_SECONDS = 600;

/** The argument `wait_seconds` of tools that run code. */
export const WaitSeconds = z
  .number()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .optional()
  .describe(
    'Returns status running and run_id after this time if the call is not done; it then outlives this request, and run_status returns its result.',
  );

const RUNNING = {
  run_id: z.string().optional(),
  status: z.string().optional().describe('running: see wait_seconds.'),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  duration_ms: z.number().optional(),
};

/** The output schema of a tool that can return before it is done. */
export function withRunning(output: z.ZodObject): z.ZodObject {
  const { status } = output.shape;
  // A run's own answer has these fields, and one more status.
  if (status instanceof z.ZodEnum) return output.extend({ status: z.enum([...status.options.map(String), 'running']) });
  const added = Object.entries(RUNNING).filter(([name]) => !(name in output.shape));
  return output.partial().extend(Object.fromEntries(added)).strict();
}

/** Resolves when the task has ended or asks something, after that time, or when the signal aborts. */
export async function waitFor(task: Task, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (task.isEnded || signal.aborted) return;
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const timer = setTimeout(stop, milliseconds);
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([task.ended, stopped]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

/** The answer of a call in progress: its last output so far. */
export function runningAnswer(task: Task): CallToolResult {
  const texts = new LongTexts(task.id);
  const [stdout, stderr] = [task.output.stdout, task.output.stderr].map((text) => texts.shown('', 'text/plain', text));
  const milliseconds = Date.now() - task.createdAtMs;
  const facts = `[running, ${milliseconds} ms, run ${task.id}; run_status returns its result]`;
  const text = [stdout?.trimEnd(), stderr && `[stderr]\n${stderr.trimEnd()}`, facts].filter(Boolean).join('\n');
  const structuredContent = {
    ...{ run_id: task.id, status: 'running' },
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    duration_ms: milliseconds,
  };
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}
