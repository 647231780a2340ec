import type { ExtensionContext } from 'vscode';
import { type App, createApp } from './app.ts';
import { followUpdate } from './commands/changeClient.ts';
import { registerCommands } from './commands/register.ts';
import { registerEnvironmentCommands } from './environments/commands.ts';
import { followEnvironmentFiles } from './environments/workspaceFile.ts';
import { registerMcp } from './mcp/definitions.ts';
import { registerNotebookCommands } from './notebook/commands.ts';
import { registerControllers } from './notebook/controller.ts';
import { createNotebooks } from './notebook/createNotebooks.ts';
import { registerKeymap } from './notebook/keymap.ts';
import { registerLanguageConfigurations } from './notebook/language/languageConfiguration.ts';
import { registerLanguageFeatures } from './notebook/language/languageFeatures.ts';
import { registerLossStatus } from './notebook/lostSession.ts';
import type { Notebooks } from './notebook/notebooks.ts';
import { registerPoolActions } from './pool/actions.ts';
import { registerPoolView } from './pool/view.ts';
import { registerSessionFiles } from './sessionFiles/register.ts';
import { registerStatusBar } from './statusBar.ts';
import { WorkspaceFolders } from './workspaceFolder/workspaceFolders.ts';

let app: App | undefined;
let notebooks: Notebooks | undefined;

/** Registers every feature. */
export function activate(context: ExtensionContext): void {
  const started = performance.now();
  app = createApp(context);
  const folders = new WorkspaceFolders(app, context);
  notebooks = createNotebooks(app, folders);
  context.subscriptions.push(
    app.health,
    folders,
    app.settings.follow(app.engine),
    notebooks,
    registerMcp(app),
    registerControllers(notebooks),
    registerKeymap(app.extensionId),
    registerLanguageConfigurations(),
    registerLanguageFeatures(app, notebooks),
    registerLossStatus(app, notebooks),
    registerNotebookCommands(app, notebooks, folders),
    registerCommands(app),
    registerPoolView(app, notebooks),
    registerPoolActions(app, notebooks),
    registerEnvironmentCommands(app, notebooks),
    followEnvironmentFiles(app, context),
    registerSessionFiles(app, notebooks),
    registerStatusBar(app),
  );
  void followUpdate(app);
  app.log.debug(`Activated in ${(performance.now() - started).toFixed(1)} ms.`);
}

/** Shuts everything down, but leaves the sessions of notebooks to the window after a reload. */
export async function deactivate(): Promise<void> {
  notebooks?.leave();
  await app?.shutDown();
}
