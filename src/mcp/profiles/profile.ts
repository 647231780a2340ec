import type {
  CallToolResult,
  ListPromptsResult,
  ListToolsResult,
  ServerCapabilities,
} from '@modelcontextprotocol/server';
import type { Engine, Owner, RunOutput } from '../../engine/types.ts';

/** An older MCP server as its clients see it: its tools, prompts and texts, on this engine. */
export interface Profile {
  /** As `--profile` and the address `/mcp/ID` spell it. */
  readonly id: string;
  /** The name that the older server gives itself. */
  readonly serverName: string;
  readonly capabilities: ServerCapabilities;
  readonly tools: ListToolsResult['tools'];
  readonly prompts: readonly ProfilePrompt[];
  /** Whether the older server answers `resources/templates/list`, with an empty list. */
  readonly listsTemplates: boolean;
  /** The result of a call of a tool that it does not have. */
  unknownTool(name: string): CallToolResult;
  /** Its error for a resource, and for a prompt that it does not have. */
  readonly errors: ProfileErrors;
  /** Its tools for one client, with the sessions that the client has named. */
  open(engine: Engine): ProfileTools;
}

/** The tools of a profile by their names. */
export type ProfileTools = Readonly<Record<string, ProfileTool>>;

/** Calls a tool; arguments are not validated. */
export type ProfileTool = (args: Readonly<Record<string, unknown>>, call: ProfileCall) => Promise<ToolAnswer>;

/** The context of one call. */
export interface ProfileCall {
  readonly owner: Owner;
  readonly signal: AbortSignal;
  onOutput(output: RunOutput): void;
}

/** A result, and whether the user's code has failed in it; the older servers do not set `isError` for that. */
export interface ToolAnswer {
  readonly result: CallToolResult;
  readonly failed: boolean;
}

/** A prompt of an older server. */
export interface ProfilePrompt {
  readonly listed: ListPromptsResult['prompts'][number];
  /** The text of its only message. */
  text(args: Readonly<Record<string, string>>): string;
}

/** The messages of JSON-RPC errors. */
export interface ProfileErrors {
  resource(uri: string): string;
  prompt(name: string): string;
}

/** An answer that is a text. */
export function textAnswer(text: string, failed = false): ToolAnswer {
  return { result: { content: [{ type: 'text', text }], isError: false }, failed };
}

/** Invalid arguments as the older servers answer them. */
export function invalidArguments(text: string): ToolAnswer {
  return { result: { content: [{ type: 'text', text }], isError: true }, failed: true };
}
