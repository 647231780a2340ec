import type { ListToolsResult } from '@modelcontextprotocol/server';

const code = { type: 'string', description: 'Lean4 code to execute' };
const sessionId = { type: 'string', description: 'Session identifier' };

/** The tools of lean-docker-mcp 0.2.10. */
export const TOOLS: ListToolsResult['tools'] = [
  {
    name: 'execute-lean',
    description: 'Execute Lean4 code in a transient Docker container',
    inputSchema: { type: 'object', properties: { code }, required: ['code'] },
  },
  {
    name: 'execute-lean-persistent',
    description: 'Execute Lean4 code in a persistent Docker container',
    inputSchema: { type: 'object', properties: { code, session_id: sessionId }, required: ['code'] },
  },
  {
    name: 'cleanup-session',
    description: 'Clean up a persistent session and its resources',
    inputSchema: { type: 'object', properties: { session_id: sessionId }, required: ['session_id'] },
  },
];
