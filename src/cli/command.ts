import type { ParseArgsConfig } from 'node:util';
import type { Log } from '../base/log.ts';
import type { Configuration } from '../config/config.ts';
import type { Options } from '../engine/options.ts';
import type { Engine } from '../engine/types.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface CommandContext {
  readonly version: string;
  readonly terminal: Terminal;
  readonly configuration: Configuration;
  readonly log: Log;
  /** Aborts at the first SIGINT, at SIGTERM and when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  createEngine(options: Options, log: Log): Promise<Engine>;
}

/** Arguments as `parseArgs` gives them. */
export interface CommandArguments {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** As in `hothouse run python FILE|-`. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** Further lines of its help. */
  readonly help: readonly string[];
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Does it; the value is the exit status. Throws `UsageError`. */
  run(context: CommandContext, args: CommandArguments): Promise<number>;
}

/** Thrown for a command line that cannot be understood; its message names what is wrong. */
export class UsageError extends Error {}

/** Does something with a new engine, and leaves no container behind. */
export async function withEngine<T>(context: CommandContext, action: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await context.createEngine(context.configuration.options, context.log);
  try {
    return await action(engine);
  } finally {
    await engine.dispose();
  }
}

/** The value of an option that takes one. */
export function textOption({ values }: CommandArguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of an option that is a number. Throws `UsageError`. */
export function numberOption(args: CommandArguments, name: string): number | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw new UsageError(`--${name} must be a number; ${JSON.stringify(text)} was given.`);
  return value;
}

/** The values of an option that takes `KEY=VALUE` any number of times. Throws `UsageError`. */
export function pairsOption({ values }: CommandArguments, name: string): Record<string, string> {
  const given = values[name];
  const pairs: Record<string, string> = {};
  for (const pair of Array.isArray(given) ? given : []) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(String(pair)) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(`--${name} must be KEY=VALUE; ${JSON.stringify(pair)} was given.`);
    pairs[key] = value;
  }
  return pairs;
}
