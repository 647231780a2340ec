import type { z } from 'zod';
import { accepted, given } from '../engine/describeSchema.ts';

/**
 * What is wrong with a call's arguments: one line for each, naming the argument, what was given and what is accepted,
 * then the list of all accepted arguments.
 */
export function argumentErrors(tool: string, input: z.ZodObject, args: unknown, error: z.ZodError): string {
  const lines = error.issues.flatMap((issue) => describe(issue, input, args));
  return [...new Set(lines), `${tool} accepts: ${acceptedArguments(input)}.`].join('\n');
}

function describe(issue: z.core.$ZodIssue, input: z.ZodObject, args: unknown): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `There is no argument "${key}".`);
  const name = String(issue.path[0]);
  const value = givenFor(args, name);
  if (value === undefined) return [`Argument "${name}" is required; nothing was given.`];
  return [`Argument "${name}" must be ${acceptedBy(input, name)}; ${given(value)} was given.`];
}

function acceptedArguments(input: z.ZodObject): string {
  const names = Object.keys(input.shape);
  if (names.length === 0) return 'no arguments';
  return names
    .map((name) => `${name} (${isOptional(input, name) ? '' : 'required, '}${acceptedBy(input, name)})`)
    .join(', ');
}

function acceptedBy(input: z.ZodObject, name: string): string {
  return accepted(input.shape[name] as z.ZodType);
}

function isOptional(input: z.ZodObject, name: string): boolean {
  return (input.shape[name] as z.ZodType).safeParse(undefined).success;
}

function givenFor(args: unknown, name: string): unknown {
  return typeof args === 'object' && args !== null ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined;
}
