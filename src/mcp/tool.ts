import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Engine, EngineProblem, Owner, RunOutput } from '../engine/types.ts';
import { argumentErrors } from './arguments.ts';
import { outOfRange } from './outOfRange.ts';

/** What a tool works with during one call. */
export interface ToolCall {
  readonly engine: Engine;
  readonly owner: Owner;
  readonly signal: AbortSignal;
  onOutput(output: RunOutput): void;
}

interface ToolLiteral<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  call(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>;
}

/** A tool with its arguments still unchecked. */
export interface Tool extends Omit<ToolLiteral<z.ZodObject, z.ZodObject>, 'call'> {
  /** Checks `args` and calls; arguments that do not fit are answered with what is accepted. */
  handle(args: unknown, call: ToolCall): Promise<CallToolResult>;
}

/** A tool from its literal, with checked arguments. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  literal: ToolLiteral<Input, Output>,
): Tool {
  return {
    ...literal,
    async handle(args, call) {
      const place = typeof args === 'object' && args !== null ? outOfRange(args) : null;
      if (place !== null) return failure(`Argument "${place}" must be a number from -1.8e308 to 1.8e308, or a string.`);
      const parsed = literal.input.safeParse(args);
      if (parsed.success) return literal.call(parsed.data, call);
      return failure(argumentErrors(literal.name, literal.input, args, parsed.error));
    },
  };
}

/** A call's answer that did what it was asked. */
export function success(structuredContent: Record<string, unknown>, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}

/** A call's answer that says what kept it from being done. */
export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** A problem of the engine as a call's answer. */
export function refused({ message, advice, command }: EngineProblem): CallToolResult {
  return failure([message, advice, command && `Command: ${command}`].filter(Boolean).join('\n'));
}
