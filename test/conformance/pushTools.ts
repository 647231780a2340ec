import type { ElicitRequestFormParams, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { description, textResult } from './texts.ts';

type Form = ElicitRequestFormParams['requestedSchema'];

const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const titled = (kind: string) => [
  { const: 'value1', title: `First ${kind}` },
  { const: 'value2', title: `Second ${kind}` },
  { const: 'value3', title: `Third ${kind}` },
];

/** Every kind of choice in a form. */
const CHOICES: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
};

/** Adds the tools that send requests to their client, as in revisions up to 2025-11-25. */
export function addPushTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: description('test_sampling'), inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return textResult(`LLM response: ${'text' in content ? content.text : ''}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: description('test_elicitation'), inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const properties = { username: { type: 'string' as const }, email: { type: 'string' as const } };
      return textResult(`User response: ${await form(context, message, { type: 'object', properties })}`);
    },
  );
  for (const [name, schema] of Object.entries({
    test_elicitation_sep1034_defaults: DEFAULTS,
    test_elicitation_sep1330_enums: CHOICES,
  })) {
    server.registerTool(name, { description: description(name) }, async (context) =>
      textResult(`Elicitation completed: ${await form(context, 'Please fill this in', schema)}`),
    );
  }
}

async function form({ mcpReq }: ServerContext, message: string, requestedSchema: Form): Promise<string> {
  const { action, content } = await mcpReq.elicitInput({ message, requestedSchema });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
