import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Viewer } from '../../src/engine/session/viewer.ts';
import { type Approve, approve } from '../../src/mcp/approval.ts';
import { requireTasks, serveTasks, TASKS_EXTENSION } from '../../src/mcp/tasks/taskMethods.ts';
import { tasksOf } from '../../src/mcp/tasks/tasks.ts';
import { callAsTask } from '../../src/mcp/tasks/toolTask.ts';
import { defineTool, failure, success, type Tool, type ToolCall } from '../../src/mcp/tool.ts';
import { CallParams, ToolServer } from '../../src/mcp/toolServer.ts';
import { StubEngine } from '../mcp/stubEngine.ts';
import { description } from './texts.ts';

/** Longer than a call takes at most before it becomes a task, in milliseconds. */
const LONG_MS = 1_300;

/** The tasks of its calls are those of this engine. */
const ENGINE = new StubEngine();

const text = (value: string) => success({ text: value }, value);

function tool(
  name: string,
  input: z.ZodRawShape,
  call: (args: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<ReturnType<typeof failure>>,
  asks = false,
): Tool {
  return defineTool({
    ...{ name, title: name, description: description(name), annotations: {}, runs: true, asks },
    input: z.strictObject(input),
    output: z.strictObject({ text: z.string() }),
    call,
  });
}

const GREET = tool('greet', { name: z.string() }, async ({ name }) => text(`Hello, ${name}!`));

/** Each works with the product's own code for tasks. */
const TASK_TOOLS: readonly Tool[] = [
  tool('slow_compute', { seconds: z.number(), label: z.string() }, async ({ seconds, label }, { signal }) => {
    const milliseconds = Number(seconds) * 1000;
    // Not at the very moment in which the call becomes a task.
    if (milliseconds > 0) await sleep(Math.max(milliseconds, LONG_MS), undefined, { signal });
    return text(`Computed ${label}.`);
  }),
  tool('failing_job', {}, async () => {
    await sleep(LONG_MS);
    return failure('The job has failed.');
  }),
  tool('protocol_error_job', {}, async () => {
    await sleep(LONG_MS);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The job has failed inside the server.');
  }),
  tool('confirm_delete', { filename: z.string() }, async ({ filename }, call) => {
    await sleep(LONG_MS);
    return text(`Deleting ${filename}: ${await call.approve(`Delete ${filename}?`)}`);
  }),
  tool('multi_input', {}, async (_, call) => {
    await sleep(LONG_MS);
    return text((await Promise.all(['First?', 'Second?'].map((question) => call.approve(question)))).join());
  }),
];

/** Asks at once, so that the client repeats the call, and then takes long. */
function composed({ mcpReq }: ServerContext): Tool {
  const answers = z.record(z.string(), z.object({ content: z.object({ name: z.string() }) }));
  return tool(
    'test_tool_with_task',
    {},
    async (_, call) => {
      await call.approve('What is your name?');
      await sleep(LONG_MS);
      const [answer] = Object.values(answers.parse(mcpReq.inputResponses));
      return text(`Hello, ${answer?.content.name}!`);
    },
    true,
  );
}

/** An MCP server with the tools of the suite's scenarios of the tasks extension. */
export function tasksServer({ id }: Viewer): Server {
  const server = new ToolServer(
    { name: 'hothouse-conformance-tasks', version: '1' },
    { capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } } },
  );
  server.asks = (name) => name === 'test_tool_with_task';
  const toolsIn = (context: ServerContext) => [GREET, ...TASK_TOOLS, composed(context)];
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: toolsIn(context).map(({ name }) => ({
      ...{ name, description: description(name), inputSchema: { type: 'object' as const } },
    })),
  }));
  server.setRequestHandler('tools/call', { params: CallParams }, async (params, context) => {
    const called = toolsIn(context).find(({ name }) => name === params.name);
    if (!called) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    // The one that needs a client with the extension.
    if (called.name === 'failing_job') requireTasks(context);
    const ask: Approve = (...question) => approve(context, undefined, ...question);
    const owner = { id, kind: 'mcp' as const, label: '' };
    const call = { engine: ENGINE, owner, signal: context.mcpReq.signal, approve: ask, onOutput() {} };
    const args = params.arguments ?? {};
    return called === GREET ? called.handle(args, call) : callAsTask(called, args, call, context, ask);
  });
  serveTasks(server, tasksOf(ENGINE), id);
  return server;
}
