import type { EngineProblem } from '../../engine/types.ts';
import { schemaError } from './arguments/schemaError.ts';
import type { CheckArguments } from './arguments/validated.ts';
import { invalidArguments, type Profile, textAnswer } from './profile.ts';

/** What python-docker-mcp and lean-docker-mcp have in common: capabilities, errors, and how they validate arguments. */
export const DOCKER_MCP = {
  capabilities: {
    experimental: {},
    prompts: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    tools: { listChanged: false },
  },
  prompts: [],
  listsTemplates: false,
  unknownTool: (name) => toolError(name, `Unknown tool: ${name}`).result,
  errors: {
    resource: (uri) => `Unsupported resource URI: ${uri}`,
    prompt: (name) => `Unknown prompt: ${name}`,
  },
} as const satisfies Partial<Profile>;

/** An error of a tool; these servers do not set `isError` for it. */
export function toolError(tool: string, message: string) {
  return textAnswer(`Error executing ${tool}: ${message}`, true);
}

/** A problem of the engine in one line. */
export function problemText({ message, advice }: EngineProblem): string {
  return [message, advice].filter(Boolean).join(' ');
}

/** Arguments are checked by their schema; a required text that is empty counts as missing. */
export const checkArguments: CheckArguments = (tool, schema, args) => {
  const error = schemaError(schema, args);
  if (error !== null) return invalidArguments(`Input validation error: ${error}`);
  const empty = schema.required?.find((name) => args[name] === '');
  return empty === undefined ? null : toolError(tool, `Missing ${empty.replace('_', ' ')}`);
};
