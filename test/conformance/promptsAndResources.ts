import {
  acceptedContent,
  type GetPromptResult,
  inputRequired,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PIXEL } from './media.ts';
import { description } from './texts.ts';

/** Adds the suite's resources, and subscribing to them as revisions up to 2025-11-25 do. */
export function addResources(server: McpServer): void {
  const texts = {
    'test://static-text': 'This is the content of the static text resource.',
    'test://watched-resource': 'Watched.',
  };
  for (const [uri, text] of Object.entries(texts)) {
    server.registerResource(uri, uri, { description: description(uri), mimeType: 'text/plain' }, async () => ({
      contents: [{ uri, mimeType: 'text/plain', text }],
    }));
  }
  const binary = 'test://static-binary';
  server.registerResource(binary, binary, { description: description(binary), mimeType: 'image/png' }, async () => ({
    contents: [{ uri: binary, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: description('template'), mimeType: 'application/json' },
    async ({ href }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri: href, mimeType: 'application/json', text }] };
    },
  );
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
}

/** Adds the suite's prompts, and completion of their arguments. */
export function addPrompts(server: McpServer): void {
  const says = (text: string): GetPromptResult => ({ messages: [{ role: 'user', content: { type: 'text', text } }] });
  const named = (name: string) => ({ description: description(name) });

  server.registerPrompt('test_simple_prompt', named('test_simple_prompt'), () =>
    says('This is a simple prompt for testing.'),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...named('test_prompt_with_arguments'), argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...named('test_prompt_with_embedded_resource'), argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => {
      const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
      const { messages } = says('Please process the embedded resource above.');
      return { messages: [{ role: 'user', content: { type: 'resource', resource } }, ...messages] };
    },
  );
  server.registerPrompt('test_prompt_with_image', named('test_prompt_with_image'), () => {
    const { messages } = says('Please analyze the image above.');
    return {
      messages: [{ role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } }, ...messages],
    };
  });
  server.registerPrompt(
    'test_input_required_result_prompt',
    named('test_input_required_result_prompt'),
    ({ mcpReq }: ServerContext) => {
      const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context');
      if (given) return says(`Use the following context: ${given.context}`);
      const requestedSchema = {
        type: 'object' as const,
        properties: { context: { type: 'string' as const } },
        required: ['context'],
      };
      const user_context = inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema });
      return inputRequired({ inputRequests: { user_context } });
    },
  );
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
}
