import type { ExtensionContext } from 'vscode';
import { window } from 'vscode';
import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { OptionSource } from '../config/resolveOptions.ts';
import type { Engine, EngineProblem, LanguageId } from '../engine/types.ts';
import type { App } from './app.ts';
import { tellProblem } from './commands/fix.ts';
import { registerCommands } from './commands/register.ts';
import { EngineHandle } from './engineHandle.ts';
import { Health } from './health.ts';
import { EDITOR_LANGUAGES } from './languages.ts';
import { channelLog } from './log.ts';
import { registerMcp } from './mcp/definitions.ts';
import { McpListener } from './mcp/listener.ts';
import { registerAnswers } from './notebook/answers.ts';
import { registerNotebookCommands } from './notebook/commands.ts';
import { registerControllers } from './notebook/controller.ts';
import { CellDiagnostics } from './notebook/diagnostics.ts';
import { registerLeanLanguage } from './notebook/leanLanguage.ts';
import { notifyLoss, registerLossStatus } from './notebook/lostSession.ts';
import { chooseKernel } from './notebook/newSession.ts';
import { Notebooks } from './notebook/notebooks.ts';
import { registerPoolActions } from './pool/actions.ts';
import { registerPoolView } from './pool/view.ts';
import { registerSettings, type Settings, settingsOf } from './settings.ts';
import { registerStatusBar } from './status/statusBar.ts';

let shutDown = async () => {};

/** Registers every feature; nothing of the engine is loaded before its first use. */
export function activate(context: ExtensionContext): void {
  const started = performance.now();
  const channel = window.createOutputChannel('Hothouse', { log: true });
  const log = channelLog(channel);
  const settings = settingsOf(context, log, resolveSettings);
  const engine = new EngineHandle(() => buildEngine(context, settings, log));
  const health = new Health(engine, systemClock);
  const { id, packageJSON } = context.extension;
  const version: string = packageJSON.version;
  const mcp = new McpListener(() => startMcp(engine, version, log));
  const app: App = { engine, health, mcp, log: channel, version };
  const diagnostics = new CellDiagnostics();
  const notebooks = new Notebooks(engine, {
    diagnostics,
    onProblem: (problem, language) => notebookProblem(problem, language, app),
    onLost: (notebook, reason) => void notifyLoss(notebook, reason),
    onMoved: (notebook, language) => void chooseKernel(notebook, EDITOR_LANGUAGES[language], id),
  });
  context.subscriptions.push(
    health,
    diagnostics,
    notebooks,
    registerMcp(app),
    registerControllers(notebooks),
    registerLeanLanguage(),
    registerAnswers(app, notebooks),
    registerLossStatus(engine, notebooks),
    registerNotebookCommands(id, notebooks),
    registerCommands(app),
    registerPoolView(app, notebooks),
    registerPoolActions(app, notebooks),
    registerStatusBar(app),
    registerSettings(settings, engine, log),
  );
  shutDown = async () => {
    await mcp.dispose();
    await engine.dispose();
    // Not with the other subscriptions: the editor ends those at once, and the engine has still something to say.
    channel.dispose();
  };
  log.debug(`Activated in ${(performance.now() - started).toFixed(1)} ms.`);
}

/** Ends everything; resolves when no container of ours is left. */
export function deactivate(): Promise<void> {
  return shutDown();
}

async function resolveSettings(settings: OptionSource) {
  const [{ loadConfiguration }, { homedir }] = await Promise.all([import('../config/config.ts'), import('node:os')]);
  return loadConfiguration({ flags: {}, settings, env: process.env, home: homedir() });
}

async function buildEngine(context: ExtensionContext, settings: Settings, log: Log): Promise<Engine> {
  const { env } = process;
  const [
    { createEngine },
    { imageSources },
    { dockerHost },
    { processIdentity },
    { machineBuildSettings },
    { loadAgent },
    { homedir },
    { join },
  ] = await Promise.all([
    import('../engine/engine.ts'),
    import('../engine/environment/images.ts'),
    import('../host/docker/dockerHost.ts'),
    import('../host/identity.ts'),
    import('../host/machine.ts'),
    import('../sandbox/agent.ts'),
    import('node:os'),
    import('node:path'),
  ]);
  const images = join(context.extensionPath, 'images');
  const [agent, options, identity] = await Promise.all([
    loadAgent(join(images, 'agent')),
    settings.options(),
    processIdentity(),
  ]);
  return createEngine({
    connect: ({ host }) => dockerHost({ host, env, home: homedir(), log }),
    agent,
    options,
    clock: systemClock,
    log,
    identity,
    images: imageSources(images, () => machineBuildSettings(env)),
  });
}

async function startMcp(handle: EngineHandle, version: string, log: Log) {
  const [{ startHttpServer }, engine] = await Promise.all([import('../mcp/http/server.ts'), handle.get()]);
  return startHttpServer({ engine, version, log });
}

/** A cell could not get a session: the view learns of it, and the user is offered the fix. */
function notebookProblem(problem: EngineProblem, language: LanguageId, app: App): void {
  app.health.check().catch(() => {});
  void tellProblem(problem, language, app);
}
