import type { LogOutputChannel } from 'vscode';
import type { EngineHandle } from './engineHandle.ts';
import type { Health } from './health.ts';
import type { McpListener } from './mcp/listener.ts';

/** What every feature of the extension works with. */
export interface App {
  readonly engine: EngineHandle;
  readonly health: Health;
  readonly mcp: McpListener;
  readonly log: LogOutputChannel;
  /** The extension's version. */
  readonly version: string;
}
