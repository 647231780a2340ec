import { createHash } from 'node:crypto';
import type { ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Tool } from './tool.ts';
import { leanCheck, leanGoals, leanTry } from './tools/provers.ts';
import { runCode } from './tools/runCode.ts';
import { closeSession, interruptSession, listSessions, openSession } from './tools/sessions.ts';

/** What a client is told about the server as a whole. */
export const INSTRUCTIONS = [
  'Hothouse runs code in warm, sealed containers on this machine.',
  'Use run_code for a computation on its own. For work in steps call open_session, pass its session_id to run_code, and call close_session at the end.',
  'For Lean 4 proofs use lean_check, many at once; lean_goals and lean_try help to find them.',
  'People see the sessions in their editor and may use them too.',
].join(' ');

/** Every tool, in the order that clients list them. */
export const TOOLS: readonly Tool[] = [
  runCode,
  openSession,
  closeSession,
  listSessions,
  interruptSession,
  leanCheck,
  leanGoals,
  leanTry,
];

let listed: ListToolsResult['tools'] | undefined;

/** The tools as `tools/list` answers them. */
export function listedTools(): ListToolsResult['tools'] {
  listed ??= TOOLS.map(({ name, title, description, annotations, input, output }) => ({
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
  }));
  return listed;
}

/** Changes when a name, description or schema does, so that clients that cache tools by version ask again. */
export function toolsHash(): string {
  return createHash('sha256')
    .update(JSON.stringify([INSTRUCTIONS, listedTools()]))
    .digest('hex')
    .slice(0, 8);
}

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output') {
  // Clients take a schema without `$schema` for draft 2020-12; the validators of some know no other by its name.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest as ListToolsResult['tools'][number]['inputSchema'];
}
