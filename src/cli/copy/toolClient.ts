import { z } from 'zod';
import { messageOf } from '../../base/log.ts';
import type { RunningServer } from '../../local/runningServers.ts';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

const Answer = z.object({
  result: z
    .object({
      isError: z.boolean().optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })),
      structuredContent: z.unknown().optional(),
    })
    .optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** Why a call failed, in the server's words. */
export class ToolError extends Error {}

/** The server cannot be reached, or is none of ours. */
export class ServerError extends Error {}

/**
 * Calls one tool of an MCP server over HTTP; resolves with its structured result. Rejects with a `ToolError` when the tool
 * refuses, and with a `ServerError` when there is no answer.
 */
export async function callTool(
  { url, token }: RunningServer,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: META },
    }),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ServerError(`${url} cannot be reached: ${causeOf(error)}`);
  });
  if (response.status === 401) throw new ServerError(`${url} does not accept the token.`);
  const { result, error } = await answerOf(response, url);
  const text = result?.content.map((block) => block.text ?? '').join('\n');
  if (!result || result.isError) throw new ToolError(text || error?.message || `status ${response.status}`);
  return result.structuredContent;
}

async function answerOf(response: Response, url: string): Promise<z.infer<typeof Answer>> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const json = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data:'))
        ?.slice('data:'.length)
    : text;
  try {
    return Answer.parse(JSON.parse(json ?? ''));
  } catch {
    throw new ServerError(`${url} answers with status ${response.status} and is no MCP server of Hothouse.`);
  }
}

function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
