import { InvalidArgumentError } from 'commander';
import type { Log } from '../base/log.ts';
import type { Configuration } from '../config/config.ts';
import type { Options } from '../engine/options.ts';
import type { Engine } from '../engine/types.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface CommandContext {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly languages: readonly LanguageDefinition[];
  readonly terminal: Terminal;
  readonly configuration: Configuration;
  readonly log: Log;
  /** Aborts at the first SIGINT, at SIGTERM, at SIGHUP and when the reader of stdout is gone. */
  readonly signal: AbortSignal;
  /** `isLasting` for an engine that serves clients until a signal. */
  createEngine(options: Options, log: Log, isLasting?: boolean): Promise<Engine>;
}

/** What a command does with its arguments; resolves with the exit status. Throws `UsageError`. */
export type Action<Args extends readonly unknown[]> = (context: CommandContext, ...args: Args) => Promise<number>;

/** Makes an action the handler of a command: loads the configuration before it, keeps the exit status after it. */
export type Handle = <Args extends readonly unknown[]>(action: Action<Args>) => (...args: Args) => Promise<void>;

/** Thrown for invalid arguments; the message names the argument. */
export class UsageError extends Error {}

/** Runs an action with a new engine and disposes the engine after it. */
export async function withEngine<T>(
  context: CommandContext,
  action: (engine: Engine) => Promise<T>,
  isLasting = false,
): Promise<T> {
  const engine = await context.createEngine(context.configuration.options, context.log, isLasting);
  try {
    return await action(engine);
  } finally {
    await engine.dispose();
  }
}

/** Parses the value of an option that is a number. */
export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

/** Parses one value of a repeatable `KEY=VALUE` option and adds it to the earlier ones. */
export function addPair(text: string, pairs: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be KEY=VALUE.');
  return { ...pairs, [key]: value };
}

/** Adds one value of a repeatable option to the earlier ones. */
export function addText(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}
