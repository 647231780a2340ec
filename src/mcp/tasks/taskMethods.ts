import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputResponses,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { printable } from '../printable.ts';
import { KEEP_TASK_MS, type Task } from './task.ts';
import type { Tasks } from './tasks.ts';

/** The extension of revision 2026-07-28 by which calls outlive their requests. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const TaskParams = z.looseObject({ taskId: z.string() });

/** Whether the client of a request declares the extension; each request of revision 2026-07-28 does so for itself. */
export function hasTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** Throws what a client gets that does not declare the extension. */
export function requireTasks(context: ServerContext): void {
  if (hasTasks(context)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel` for the tasks of one owner. */
export function serveTasks(server: Server, tasks: Tasks, owner: string): void {
  const find = (id: string, context: ServerContext): Task => {
    requireTasks(context);
    const task = tasks.find(owner, id);
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTask(id));
    return task;
  };
  server.setRequestHandler('tasks/get', { params: TaskParams }, ({ taskId }, context) =>
    find(taskId, context).detailed(),
  );
  server.setRequestHandler('tasks/update', { params: TaskParams }, ({ taskId }, context) => {
    // The SDK takes the answers out of the parameters of every request.
    find(taskId, context).update((context.mcpReq.inputResponses ?? {}) as InputResponses);
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, ({ taskId }, context) => {
    find(taskId, context).cancel();
    return {};
  });
}

/** The result of a call that goes on as a task. */
export function createdTask(task: Task) {
  return { resultType: 'task' as const, ...task.summary() };
}

/** What a client gets for an id that it has no task or run of. */
export function unknownTask(id: string): string {
  return `There is no run ${printable(id)} of this client. Runs are kept for ${KEEP_TASK_MS / 60_000} minutes after their end.`;
}
