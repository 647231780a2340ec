import type { Profile, ProfileTool, ProfileTools, ToolAnswer } from '../profile.ts';
import type { ArgumentSchema } from './argumentSchema.ts';

/** The answer to arguments that a tool does not accept; null when it accepts them. */
export type CheckArguments = (
  tool: string,
  schema: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
) => ToolAnswer | null;

/** Arguments as the older server reads them, by the schema of its tool. */
export type ReadArguments = (
  schema: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>>;

/** The same tools, each of which reads and checks its arguments first, by the schema that is listed for it. */
export function validated(
  listed: Profile['tools'],
  tools: ProfileTools,
  check: CheckArguments,
  read: ReadArguments = (_schema, args) => args,
): ProfileTools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]): [string, ProfileTool] => {
      const schema = (listed.find((one) => one.name === name)?.inputSchema ?? {}) as ArgumentSchema;
      const call: ProfileTool = async (given, context) => {
        const args = read(schema, given);
        return check(name, schema, args) ?? tool(args, context);
      };
      return [name, call];
    }),
  );
}
