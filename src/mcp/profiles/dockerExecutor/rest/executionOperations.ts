import type { Upload } from '../uploads.ts';
import { executionAnswer } from './answers.ts';
import { EVENT_HEADERS, singleEvent, streamEvents } from './eventStream.ts';
import { notFound, type Operation, type Workspace, withBody, withoutBody } from './operation.ts';
import type { ExecutionAnswer, Requests } from './schemas.ts';

/** The image that the older server takes when a request names none. */
const DEFAULT_IMAGE = 'mcp-executor-test:latest';

const UNKNOWN = { error: 'Execution not found' } as const;

/** Operations that run code, or that read what ran. */
export const EXECUTION_OPERATIONS: readonly Operation[] = [
  withBody(
    {
      method: 'post',
      path: '/execute',
      operationId: 'execute_code_execute_post',
      summary: 'Execute Code',
      description: 'Execute code in a Docker container.',
      request: 'ExecuteCodeRequest',
      response: 'ExecuteCodeResponse',
    },
    async ({ workspace, body, signal }) => {
      const answer = await execute(workspace, body, workspace.call(signal));
      workspace.executions.keep(answer);
      return { body: answer };
    },
  ),
  withoutBody(
    {
      method: 'get',
      path: '/executions/{execution_id}',
      operationId: 'get_execution_result_executions__execution_id__get',
      summary: 'Get Execution Result',
      description: 'Get execution result.',
      response: null,
    },
    async ({ workspace, id }) => {
      const found = workspace.executions.find(id);
      return found ? { body: found } : notFound('Execution');
    },
  ),
  withBody(
    {
      method: 'post',
      path: '/files/{file_id}/execute',
      operationId: 'execute_file_files__file_id__execute_post',
      summary: 'Execute File',
      description: 'Execute an uploaded file.',
      request: 'FileExecutionRequest',
      response: 'ExecuteCodeResponse',
    },
    async ({ workspace, body, id, signal }) => {
      const file = workspace.uploads.get(id);
      const answer = await executeFile(workspace, file, body, signal);
      workspace.executions.keep(answer);
      return { body: answer };
    },
  ),
  withBody(
    {
      method: 'post',
      path: '/execute/stream',
      operationId: 'start_streaming_execution_execute_stream_post',
      summary: 'Start Streaming Execution',
      description: 'Start a streaming execution.',
      request: 'StreamExecutionRequest',
      response: null,
    },
    async ({ workspace, body }) => {
      const started = workspace.executions.start((execution) => {
        const call = workspace.call(execution.signal, (output) => execution.add(output));
        return execute(workspace, body, call);
      });
      if (!started) return { status: 503, body: { detail: 'Too many executions are running. Wait for one to end.' } };
      return { body: { execution_id: started.id, status: 'started' } };
    },
  ),
  withoutBody(
    {
      method: 'get',
      path: '/executions/{execution_id}/progress',
      operationId: 'get_execution_progress_executions__execution_id__progress_get',
      summary: 'Get Execution Progress',
      description: 'Get execution progress.',
      response: null,
    },
    async ({ workspace, id }) => ({ body: workspace.executions.background(id)?.progress() ?? UNKNOWN }),
  ),
  withoutBody(
    {
      method: 'get',
      path: '/executions/{execution_id}/stream',
      operationId: 'stream_execution_logs_executions__execution_id__stream_get',
      summary: 'Stream Execution Logs',
      description: 'Stream execution logs.',
      response: null,
    },
    async ({ workspace, id, request, response }) => {
      const execution = workspace.executions.background(id);
      response.writeHead(200, EVENT_HEADERS);
      if (!execution) singleEvent(response, UNKNOWN);
      else await streamEvents(response, execution, lastEvent(request.headers['last-event-id']));
      return null;
    },
  ),
];

type ExecuteBody = Requests['StreamExecutionRequest'] & { readonly input_data?: string | null | undefined };

async function execute(
  { executor }: Workspace,
  body: ExecuteBody,
  call: ReturnType<Workspace['call']>,
): Promise<ExecutionAnswer> {
  const { language, code, image_id, working_directory, environment_variables, resource_limits, input_data } = body;
  const { memory_mb, cpu_cores } = resource_limits;
  const request = {
    limits: {
      ...(memory_mb !== undefined && { memoryMb: memory_mb }),
      ...(cpu_cores !== undefined && { cpus: cpu_cores }),
    },
    ...{ language, code, image: image_id ?? DEFAULT_IMAGE, folder: working_directory },
    variables: environment_variables,
    timeoutSeconds: resource_limits.timeout_seconds,
    ...(typeof input_data === 'string' && { stdin: input_data }),
  };
  return executionAnswer(await executor.execute(request, call));
}

function executeFile(
  workspace: Workspace,
  file: Upload | undefined,
  body: Requests['FileExecutionRequest'],
  signal: AbortSignal,
): Promise<ExecutionAnswer> | ExecutionAnswer {
  if (!file) return executionAnswer('File not found');
  if (body.container_id) {
    return executionAnswer('There is no container to run it in: each execution has its own. Leave container_id out.');
  }
  const { language, content } = file;
  return execute(workspace, { ...body, language, code: content }, workspace.call(signal));
}

/** Lines that a client has seen before it has come back. */
function lastEvent(header: string | readonly string[] | undefined): number {
  return /^\d{1,9}$/.test(String(header)) ? Number(header) : 0;
}
