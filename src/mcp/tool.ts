import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { describeSchema, describeSchemaAt, formatValue } from '../engine/describeSchema.ts';
import type { Engine, Owner, RunOutput } from '../engine/types.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { TaskProblem } from '../languages/languageTasks.ts';
import type { Approval } from './approval.ts';
import { outOfRange, shortPlace } from './outOfRange.ts';
import { WaitSeconds, withRunning } from './tasks/waiting.ts';

/** The context of one call. */
export interface ToolCall {
  readonly engine: Engine;
  readonly owner: Owner;
  readonly signal: AbortSignal;
  onOutput(output: RunOutput): void;
  /** The id of the run in a tool that runs code: clients know it before the run ends. */
  readonly runId?: string;
  /** Asks the client's user; only in tools that ask (`asks`). Rejects with what makes the client repeat the call. */
  approve(question: string): Promise<Approval>;
}

interface ToolLiteral<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Whether it may ask the client's user. */
  readonly asks?: boolean;
  /** Whether it runs code, which may take long: then it has the argument `wait_seconds`. */
  readonly runs?: boolean;
  /** Whether clients can show its results in the view. */
  readonly hasView?: boolean;
  readonly input: Input;
  readonly output: Output;
  call(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>;
}

/** A tool that validates its arguments itself. */
export interface Tool extends Omit<ToolLiteral<z.ZodObject, z.ZodObject>, 'call'> {
  /** Validates `args` and calls the tool; invalid arguments are answered with a list of the accepted ones. */
  handle(args: unknown, call: ToolCall): Promise<CallToolResult>;
}

/** Makes a tool from its literal. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  literal: ToolLiteral<Input, Output>,
): Tool {
  const input = literal.runs ? literal.input.extend({ wait_seconds: WaitSeconds }) : literal.input;
  return {
    ...literal,
    input,
    output: literal.runs ? withRunning(literal.output) : literal.output,
    async handle(args, call) {
      const place = typeof args === 'object' && args !== null ? outOfRange(args) : null;
      if (place !== null) return failure(`Argument "${place}" must be a number from -1.8e308 to 1.8e308, or a string.`);
      const parsed = input.safeParse(args);
      if (parsed.success) return literal.call(parsed.data as z.output<Input>, call);
      const again = input.safeParse(withoutNulls(args, parsed.error));
      if (again.success) return literal.call(again.data as z.output<Input>, call);
      return failure(argumentErrors(literal.name, input, args, parsed.error));
    },
  };
}

/** The arguments without each null that is not accepted: clients send it for an optional argument that they leave out. */
function withoutNulls(args: unknown, { issues }: z.ZodError): unknown {
  const nulls = issues.filter(({ path }) => path.length > 0 && valueAt(args, path) === null);
  if (nulls.length === 0) return args;
  const kept = structuredClone(args);
  for (const { path } of nulls) {
    const holder = valueAt(kept, path.slice(0, -1));
    const name = path.at(-1);
    if (typeof holder === 'object' && holder !== null && name !== undefined) Reflect.deleteProperty(holder, name);
  }
  return kept;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (held, name) =>
      typeof held === 'object' && held !== null ? Object.getOwnPropertyDescriptor(held, name)?.value : undefined,
    value,
  );
}

/** The schema of an argument that selects a language. */
export function languageArgument(languages: readonly LanguageDefinition[], description: string): z.ZodType<string> {
  return z.enum(languages.map(({ id }) => id)).describe(description);
}

/** The result of a successful call. */
export function success(structuredContent: Record<string, unknown>, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}

/** The result of a failed call. */
export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** A problem as the result of a failed call. */
export function refused({ message, advice, command }: TaskProblem): CallToolResult {
  return failure([message, advice, command && `Command: ${command}`].filter(Boolean).join('\n'));
}

/** One line per invalid argument (its name, the accepted values, the given value), then the list of all arguments. */
function argumentErrors(tool: string, input: z.ZodObject, args: unknown, error: z.ZodError): string {
  const lines = error.issues.flatMap((issue) => describe(issue, input, args));
  return [...new Set(lines), `${tool} accepts: ${acceptedArguments(input)}.`].join('\n');
}

function describe(issue: z.core.$ZodIssue, input: z.ZodObject, args: unknown): string[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `There is no argument "${formatPlace([...path, key])}".`);
  }
  const value = valueAt(args, path);
  if (value === undefined) return [`Argument "${formatPlace(path)}" is required; nothing was given.`];
  // A place that the schema does not name is a key of one that it names.
  const accepted = describeSchemaAt(input, path);
  if (accepted === null) return [`Argument "${formatPlace(path)}" is not valid: ${issue.message}.`];
  return [`Argument "${formatPlace(path)}" must be ${accepted}; ${formatValue(value)} was given.`];
}

/** As in `files[1].path`. */
function formatPlace(path: readonly PropertyKey[]): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return shortPlace(place.slice(1));
}

function acceptedArguments(input: z.ZodObject): string {
  const names = Object.keys(input.shape);
  if (names.length === 0) return 'no arguments';
  return names
    .map((name) => `${name} (${isOptional(input, name) ? '' : 'required, '}${acceptedBy(input, name)})`)
    .join(', ');
}

function acceptedBy(input: z.ZodObject, name: string): string {
  return describeSchema(input.shape[name] as z.ZodType);
}

function isOptional(input: z.ZodObject, name: string): boolean {
  return (input.shape[name] as z.ZodType).safeParse(undefined).success;
}
