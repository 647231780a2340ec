import type { z } from 'zod';
import type { Owner } from '../sandbox/owner.ts';
import type { Answer, TaskResult } from './languageTasks.ts';

/** Characters kept of one text in an answer. */
export const MAX_TEXT = 65_536;

/** At most `MAX_TEXT` characters of `text`; a cut text ends with the number of omitted characters. */
export function clip(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}\n[${text.length - MAX_TEXT} more characters]`;
}

/** The context of one call; `engine` has the questions of the tool's language. */
export interface LanguageToolCall<Engine extends object> {
  readonly engine: Engine;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/** The answer of a tool: as fields, and as text for a reader. */
export interface ToolAnswer {
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

interface ToolLiteral<Engine extends object, Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What MCP calls annotations. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly input: Input;
  /** The schema of `fields`. */
  readonly output: z.ZodObject;
  call(input: z.output<Input>, call: LanguageToolCall<Engine>): Promise<Answer<ToolAnswer>>;
}

/** A tool that an MCP server offers for one language. */
export type LanguageTool = ToolLiteral<object, z.ZodObject>;

/** A tool whose `call` gets the arguments that `input` describes, and an engine with the questions that it needs. */
export function defineLanguageTool<Engine extends object>() {
  return <Input extends z.ZodObject>(literal: ToolLiteral<Engine, Input>): LanguageTool => literal;
}

/** A text that a person starts a conversation with. */
export interface LanguagePrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required?: true }[];
  text(args: Readonly<Record<string, string>>): string;
}

/** What a language adds to an MCP server. */
export interface LanguageTools {
  /** A sentence for the server's instructions. */
  readonly instructions: string;
  readonly tools: readonly LanguageTool[];
  readonly prompts?: readonly LanguagePrompt[];
}

/** Defaults of options that descriptions of tools name. */
export interface ToolDefaults {
  readonly timeoutSeconds: number;
}

/** How a language's reports appear in answers of `run_code` and in `hothouse run --json`. */
export interface ReportFormat {
  /** Arguments of `run_code` that select what the report contains; optional ones only. */
  readonly arguments: z.ZodRawShape;
  /** The fields that answers have beside the general ones. */
  readonly fields: z.ZodRawShape;
  /** Describes the report of a run for the given arguments; without arguments, everything that the report has. */
  describe(run: Pick<TaskResult, 'status' | 'report'>, given?: Readonly<Record<string, unknown>>): DescribedReport;
}

/** A report in an answer. */
export interface DescribedReport {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly verdict: string | null;
  /** Whether `texts` contain the errors, so that the run's own error adds nothing. */
  readonly hasErrors: boolean;
  /** Sections for a reader; some may be empty. */
  readonly texts: readonly string[];
}
