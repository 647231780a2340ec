import type { Profile, ProfileTool, ProfileTools, ToolAnswer } from '../profile.ts';
import type { ArgumentSchema } from './argumentSchema.ts';

/** The answer to arguments that a tool does not accept; null when it accepts them. */
export type CheckArguments = (
  tool: string,
  schema: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
) => ToolAnswer | null;

/** The same tools, each of which checks its arguments first, by the schema that is listed for it. */
export function validated(listed: Profile['tools'], tools: ProfileTools, check: CheckArguments): ProfileTools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]): [string, ProfileTool] => {
      const schema = (listed.find((one) => one.name === name)?.inputSchema ?? {}) as ArgumentSchema;
      return [name, async (args, call) => check(name, schema, args) ?? tool(args, call)];
    }),
  );
}
