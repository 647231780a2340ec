import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import { ApprovalNeeded, type Approve } from '../approval.ts';
import { failure, type Tool, type ToolCall } from '../tool.ts';
import { bounded } from '../toolServer.ts';
import type { Task } from './task.ts';
import { createdTask, hasTasks } from './taskMethods.ts';
import { tasksOf } from './tasks.ts';
import { MAX_WAIT_SECONDS, runningAnswer, waitFor } from './waiting.ts';

/** A client with the extension gets a task for what takes longer, in milliseconds: most calls are done at once. */
const TASK_AFTER_MS = 1_000;
const TOO_MANY =
  'Too many runs of this client are in progress. Wait for one with run_status, or end one with cancel_run.';

/** What a call answers: its result, what it asks, or that it goes on as a task. */
export type CallAnswer = CallToolResult | InputRequiredResult | ReturnType<typeof createdTask>;

/**
 * Performs the call of a tool that runs code or installs. With `wait_seconds`, and for a client with the extension, it
 * outlives its request after a time; without both it is cancelled with its request. Its result is kept either way.
 */
export async function callAsTask(
  tool: Tool,
  args: object,
  call: ToolCall,
  context: ServerContext,
  approve: Approve,
): Promise<CallAnswer> {
  const waitMs = tool.runs ? waitOf(args) : null;
  const makesTask = hasTasks(context);
  let isOpen = true;
  let question: ApprovalNeeded | null = null;
  const ask = async (task: Task, text: string) => {
    try {
      return await approve(text, isOpen ? undefined : (request) => task.ask(request));
    } catch (error) {
      if (error instanceof ApprovalNeeded) question = error;
      throw error instanceof ApprovalNeeded ? new ProtocolError(0, error.message) : error;
    }
  };
  const task = tasksOf(call.engine).start(call.owner.id, tool.name, async (own) => {
    // The task's id is known from here on.
    await null;
    const answer = await tool.handle(args, {
      ...call,
      runId: own.id,
      signal: own.signal,
      approve: (text) => ask(own, text),
      onOutput(output) {
        own.add(output);
        if (isOpen) call.onOutput(output);
      },
    });
    return bounded(answer, tool.output.shape);
  });
  if (!task) return failure(TOO_MANY);
  const cancel = () => task.cancel();
  if (waitMs === null) call.signal.addEventListener('abort', cancel, { once: true });
  const patienceMs = waitMs ?? (makesTask ? TASK_AFTER_MS : null);
  if (patienceMs === null) await task.ended;
  else await waitFor(task, patienceMs, call.signal);
  isOpen = false;
  if (question) {
    // The client repeats the call with the answer.
    tasksOf(call.engine).forget(task.id);
    return (question as ApprovalNeeded).toResult();
  }
  if (task.result) return task.result;
  if (task.isEnded) throw errorOf(task);
  call.signal.removeEventListener('abort', cancel);
  return makesTask ? createdTask(task) : runningAnswer(task);
}

function errorOf(task: Task): ProtocolError {
  const detailed = task.detailed();
  const { code, message } = 'error' in detailed ? detailed.error : { code: 0, message: 'The call was cancelled.' };
  return new ProtocolError(code, message);
}

/** A valid `wait_seconds` in milliseconds, or null. */
function waitOf(args: object): number | null {
  const { wait_seconds: seconds } = args as { wait_seconds?: unknown };
  const isValid = typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_WAIT_SECONDS;
  return isValid ? seconds * 1000 : null;
}
