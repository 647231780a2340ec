import type { EngineProblem } from '../../engine/types.ts';
import type { ArgumentSchema } from './arguments/argumentSchema.ts';
import { schemaError } from './arguments/schemaError.ts';
import { invalidArguments, type Profile, type ProfileTool, type ProfileTools, textAnswer } from './profile.ts';

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

/** The same tools, which validate their arguments first; `required` texts must not be empty either. */
export function validated(tools: Profile['tools'], handlers: ProfileTools): ProfileTools {
  return Object.fromEntries(
    tools.map((tool): [string, ProfileTool] => {
      const { name, inputSchema } = tool;
      const schema: ArgumentSchema = inputSchema as ArgumentSchema;
      return [
        name,
        async (args, call) => {
          const error = schemaError(schema, args);
          if (error !== null) return invalidArguments(`Input validation error: ${error}`);
          const empty = schema.required?.find((argument) => args[argument] === '');
          if (empty !== undefined) return toolError(name, `Missing ${empty.replace('_', ' ')}`);
          return (await handlers[name]?.(args, call)) ?? toolError(name, `Unknown tool: ${name}`);
        },
      ];
    }),
  );
}
