import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  fromJsonSchema,
  type JSONObject,
  type McpServer,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { PIXEL, SILENCE } from './media.ts';
import { description, textResult } from './texts.ts';

const EMBEDDED = { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'An embedded resource.' };
const MIXED = {
  uri: 'test://mixed-content-resource',
  mimeType: 'application/json',
  text: '{"test":"data","value":123}',
};

/** Tools that the suite calls by name, with their results. */
const CONTENTS: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  test_image_content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }],
  test_audio_content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  test_embedded_resource: [{ type: 'resource', resource: EMBEDDED }],
  test_multiple_content_types: [
    { type: 'text', text: 'Several kinds of content' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'resource', resource: MIXED },
  ],
  test_streaming_elicitation: [{ type: 'text', text: 'Nothing was asked.' }],
};

const LOGGED = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
const PAUSE_MS = 50;

/** A schema with every keyword of JSON Schema 2020-12 that the suite checks. */
const RICH_SCHEMA: JSONObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** A schema with an argument that clients repeat in a header. */
const HEADER_SCHEMA: JSONObject = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

/** Adds the tools that need no client input; `notify` notifies subscribers of changes. */
export function addContentTools(server: McpServer, notify: () => ServerNotifier): void {
  const tool = (name: string, call: (context: ServerContext) => Promise<CallToolResult>) =>
    server.registerTool(name, { description: description(name) }, call);
  const schemaTool = (name: string, schema: JSONObject) =>
    server.registerTool(
      name,
      { description: description(name), inputSchema: fromJsonSchema<JSONObject>(schema) },
      async (args) => textResult(JSON.stringify(args)),
    );

  for (const [name, content] of Object.entries(CONTENTS)) tool(name, async () => ({ content }));
  schemaTool('json_schema_2020_12_tool', RICH_SCHEMA);
  schemaTool('test_x_mcp_header', HEADER_SCHEMA);
  tool('test_error_handling', async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_logging', logThrice);
  tool('test_tool_with_progress', progressThrice);
  tool('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'For those who asked for logs.');
    return textResult('Logged.');
  });
  tool('test_trigger_tool_change', async () => {
    notify().toolsChanged();
    return textResult('Subscribers were told.');
  });
  tool('test_trigger_prompt_change', async () => {
    notify().promptsChanged();
    return textResult('Subscribers were told.');
  });
}

async function logThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const data of LOGGED) {
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
    await sleep(PAUSE_MS);
  }
  return textResult('Logged three times.');
}

async function progressThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    await sleep(PAUSE_MS);
  }
  return textResult(String(progressToken ?? 'There was no progress token.'));
}
