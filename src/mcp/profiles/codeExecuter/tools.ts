import type { ListToolsResult } from '@modelcontextprotocol/server';

type Tool = ListToolsResult['tools'][number];

const outputSchema: Tool['outputSchema'] = {
  properties: { result: { type: 'string' } },
  required: ['result'],
  type: 'object',
  'x-fastmcp-wrap-result': true,
};
const common = { outputSchema, _meta: { fastmcp: { tags: [] } } };

/** The tools of Containerized Code Executer 0.1.0. */
export const TOOLS: Tool[] = [
  {
    name: 'start_code_executer',
    description: 'Starts the code execution service.',
    inputSchema: {
      additionalProperties: false,
      properties: {
        dependencies: {
          default: [],
          description: 'The dependencies you need for the future code execution',
          items: { type: 'string' },
          type: 'array',
        },
      },
      type: 'object',
    },
    ...common,
  },
  {
    name: 'stop_code_executer',
    description: 'Stops the code execution service.',
    inputSchema: {
      additionalProperties: false,
      properties: {
        name: { description: 'The name of the code execution service you want to kill', type: 'string' },
        delete_service: {
          default: true,
          description:
            'Whether the container and the image will be deleted. This action is not reversible. If set to False container can be reused.',
          type: 'boolean',
        },
      },
      required: ['name'],
      type: 'object',
    },
    ...common,
  },
  {
    name: 'execute_code',
    description: 'Executes Python code and returns the output.',
    inputSchema: {
      additionalProperties: false,
      properties: { code: { description: 'Python code that will be executed', type: 'string' } },
      required: ['code'],
      type: 'object',
    },
    ...common,
  },
  {
    name: 'reuse_code_executer',
    description:
      'Restarts the code execution service with the given name.\n\nReturns:\n    str: A message indicating that the code execution service has been restarted.',
    inputSchema: {
      additionalProperties: false,
      properties: {
        name: { description: 'The name of the code execution service you want to restart', type: 'string' },
      },
      required: ['name'],
      type: 'object',
    },
    ...common,
  },
];
