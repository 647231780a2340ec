import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { plainText } from '../base/log.ts';
import { slices } from '../base/slices.ts';
import type { RunOutput } from '../engine/types.ts';
import { boundedResult } from './delivery/boundedResult.ts';
import { OutputProgress } from './progress.ts';

/** Parameters of `tools/call`. Each tool validates its own arguments. */
export const CallParams = z.object({
  name: z.string(),
  arguments: z
    .custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
    .optional(),
  _meta: z.looseObject({ progressToken: z.union([z.string(), z.int()]).optional() }).optional(),
});

const Argument = z.object({ name: z.string(), value: z.string() });

/** Parameters of further methods, as far as a server reads them: the SDK answers invalid ones as an error of its own. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  initialize: z.object({
    protocolVersion: z.string(),
    capabilities: z.looseObject({}),
    clientInfo: z.object({ name: z.string(), version: z.string() }),
  }),
  'resources/read': z.object({ uri: z.string() }),
  'prompts/get': z.object({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() }),
  'completion/complete': z.object({
    ref: z.object({ type: z.enum(['ref/prompt', 'ref/resource']) }),
    argument: Argument,
  }),
};

/**
 * Validates a call once and trusts its own results; the SDK's server parses the call twice more, and the result. Calls of
 * tools that ask the user go its way: it asks clients of each revision as they expect it.
 */
export class ToolServer extends Server {
  asks: (tool: string) => boolean = () => false;

  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/call') {
      const checked: typeof handler = (request, context) => {
        checkParams(method, request.params);
        return wrapped(request, context);
      };
      return checked;
    }
    const direct: typeof handler = async (request, context) => {
      if (!this.asks(String(request.params?.name))) return handler(request, context);
      const result = await wrapped(request, context);
      // Where the question failed, the text is the SDK's, with words of the client.
      return 'content' in result ? bounded(result as CallToolResult, {}) : result;
    };
    return direct;
  }

  /** Name and version of the client of a call in one line of at most 80 characters. */
  clientLabel(context: ServerContext): string {
    return labelOf(clientOf(context) ?? this.getClientVersion());
  }
}

function checkParams(method: string, params: unknown): void {
  const error = PARAMS[method]?.safeParse(params ?? {}).error;
  if (!error) return;
  const reasons = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${reasons.join('; ')}`);
}

/** Characters of arguments, or bytes of a result, that are processed in the same turn of the event loop. */
const SMALL = 128 * 1024;

/** Performs a call, with its output as progress notifications, and bounds its result; `shape` has the fields of results. */
export function performCall(
  context: ServerContext,
  args: object,
  shape: object,
  call: (onOutput: (output: RunOutput) => void) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return withProgress(context, args, async (onOutput) => bounded(await call(onOutput), shape));
}

/** Performs a call with its output as progress notifications. Long arguments leave the event loop a turn. */
export async function withProgress<T>(
  context: ServerContext,
  args: object,
  call: (onOutput: (output: RunOutput) => void) => Promise<T>,
): Promise<T> {
  const progress = outputProgress(context);
  try {
    // They have been parsed in this turn of the event loop, and validating them may take as long.
    if (!isSmall(args)) await nextTurn();
    return await call((output) => progress?.add(output));
  } finally {
    progress?.end();
  }
}

/** A result within the limits of one message. A long one leaves the event loop a turn. */
export async function bounded(answer: CallToolResult, shape: object): Promise<CallToolResult> {
  const { result, mostBytes } = await slices.run(boundedResult(answer, shape));
  // The transport serializes the result in one step, which may be long enough by itself.
  if (mostBytes > SMALL) await nextTurn();
  return result;
}

/** Whether arguments are numbers and texts of at most `SMALL` characters together. */
function isSmall(args: object): boolean {
  let length = 0;
  for (const value of Object.values(args)) {
    if (typeof value === 'object' && value !== null) return false;
    if (typeof value === 'string') length += value.length;
  }
  return length <= SMALL;
}

function outputProgress({ mcpReq }: ServerContext): OutputProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new OutputProgress((progress, message) => {
    // A disconnected client needs no progress; the transport cancels its call.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  });
}

/** The client's own description in a request of revision 2026-07-28; the SDK has validated it. */
function clientOf({ mcpReq }: ServerContext): Implementation | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_INFO_META_KEY] as Implementation | undefined;
}

function labelOf(client: Implementation | undefined): string {
  const label = plainText(`${client?.title ?? client?.name ?? ''} ${client?.version ?? ''}`)
    .replace(/\s+/g, ' ')
    .trim();
  return label.slice(0, 80) || 'MCP client';
}
