import type { ListToolsResult } from '@modelcontextprotocol/server';

const code = { type: 'string', description: 'Python code to execute' };

/** The tools of python-docker-mcp 0.2.5. */
export const TOOLS: ListToolsResult['tools'] = [
  {
    name: 'execute-transient',
    description: 'Execute Python code in a transient Docker container',
    inputSchema: {
      type: 'object',
      properties: { code, state: { type: 'object', description: 'Optional state dictionary' } },
      required: ['code'],
    },
  },
  {
    name: 'execute-persistent',
    description: 'Execute Python code in a persistent Docker container',
    inputSchema: {
      type: 'object',
      properties: { code, session_id: { type: 'string', description: 'Session identifier' } },
      required: ['code'],
    },
  },
  {
    name: 'install-package',
    description: 'Install a Python package in a Docker container',
    inputSchema: {
      type: 'object',
      properties: {
        package_name: { type: 'string', description: 'Package name' },
        session_id: { type: 'string', description: 'Optional session ID' },
      },
      required: ['package_name'],
    },
  },
  {
    name: 'cleanup-session',
    description: 'Clean up a persistent session and its resources',
    inputSchema: {
      type: 'object',
      properties: { session_id: { type: 'string', description: 'Session identifier' } },
      required: ['session_id'],
    },
  },
];
