import { type ExtensionContext, type LogOutputChannel, window } from 'vscode';
import { systemClock } from '../base/clock.ts';
import { type Log, plainLog } from '../base/log.ts';
import type { Engine, SessionStore } from '../engine/types.ts';
import { EngineHandle } from './engineHandle.ts';
import { Health } from './health.ts';
import { McpListener } from './mcp/listener.ts';
import { SavedNotebooks } from './notebook/reload/savedNotebooks.ts';
import { SessionSecrets } from './notebook/reload/sessionSecrets.ts';
import { Settings } from './settings.ts';

/** What every feature of the extension works with. */
export interface App {
  readonly engine: EngineHandle;
  readonly health: Health;
  readonly mcp: McpListener;
  readonly settings: Settings;
  /** The sessions of notebooks, and the notebooks, for the window after a reload. */
  readonly left: { readonly secrets: SessionSecrets; readonly saved: SavedNotebooks };
  readonly log: LogOutputChannel;
  /** The extension's id, `publisher.name`. */
  readonly extensionId: string;
  /** The extension's version. */
  readonly version: string;
  /**
   * Stops the MCP server and the engine; resolves when no container of ours is left but those of notebooks' sessions, which
   * wait for the next window: a reload cannot be told from the end of VS Code.
   */
  shutDown(): Promise<void>;
}

/** Creates the app; the engine and the MCP server start at their first use. */
export function createApp(context: ExtensionContext): App {
  const { id, packageJSON } = context.extension;
  const version: string = packageJSON.version;
  const channel = window.createOutputChannel('Hothouse', { log: true });
  const log = plainLog(channel);
  const settings = new Settings(context, log);
  const secrets = new SessionSecrets(context.secrets);
  const engine = new EngineHandle(() => startEngine(context, settings, log, secrets));
  const mcp = new McpListener({ engine, version, log, settings });
  return {
    engine,
    health: new Health(engine, systemClock),
    mcp,
    settings,
    left: { secrets, saved: new SavedNotebooks(context.workspaceState) },
    log: channel,
    extensionId: id,
    version,
    async shutDown() {
      await mcp.dispose();
      await engine.detach();
      // Not a subscription: VS Code disposes those at once, while the engine still writes to the log.
      channel.dispose();
    },
  };
}

async function startEngine(
  context: ExtensionContext,
  settings: Settings,
  log: Log,
  sessionStore: SessionStore,
): Promise<Engine> {
  const [{ createLocalEngine }, { homedir }, { join }, options] = await Promise.all([
    import('../local/localEngine.ts'),
    import('node:os'),
    import('node:path'),
    settings.options(),
  ]);
  const imagesFolder = join(context.extensionPath, 'images');
  const place = { env: process.env, home: homedir(), imagesFolder };
  return createLocalEngine({ options, log, ...place, sessionStore, isLasting: true });
}
