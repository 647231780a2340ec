import { commands, type Disposable, window } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import type { Engine, Result, SessionInfo } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { addPackages } from '../commands/addPackages.ts';
import { formatCount, formatProblem } from '../format.ts';
import { activeSession, showNoSession } from '../notebook/activeSession.ts';
import type { Notebooks } from '../notebook/notebooks.ts';
import type { Node } from './rowProvider.ts';

/** Registers the commands of the rows in the pool view. */
export function registerPoolActions(app: App, active: Notebooks): Disposable {
  const { engine } = app;
  const stack = new DisposableStack();
  const onSession = (command: string, act: (engine: Engine, session: SessionInfo) => Promise<unknown>) =>
    stack.add(
      commands.registerCommand(command, async (node?: Node) => {
        const subject = node?.row.subject;
        if (subject?.kind === 'session' && engine.current) await act(engine.current, subject.session);
      }),
    );
  onSession('hothouse.session.interrupt', async (on, { id }) => showFailure(await on.interruptSession(id)));
  onSession('hothouse.session.restart', (on, session) => restart(on, session, active));
  onSession('hothouse.session.close', (on, session) => close(on, session, active));
  onSession('hothouse.session.addPackages', (_, session) => addPackages(session, app));
  const onShare = (command: string, isShared: boolean) =>
    stack.add(commands.registerCommand(command, (node?: Node) => share(node, isShared, engine.current, active)));
  onShare('hothouse.session.share', true);
  onShare('hothouse.session.stopSharing', false);
  onSession('hothouse.session.show', (_, { id }) => show(id, active));
  stack.add(
    commands.registerCommand('hothouse.sandbox.stop', async (node?: Node) => {
      const subject = node?.row.subject;
      if (subject?.kind === 'sandbox' && engine.current) await stop(engine.current, subject.sandbox);
    }),
  );
  stack.add(commands.registerCommand('hothouse.closeAllSessions', () => closeAll(engine.current, active)));
  return stack;
}

async function restart(engine: Engine, { id, runs }: SessionInfo, active: Notebooks): Promise<void> {
  if (!(await confirm(runs > 0, 'Restart this session?', 'Its variables are lost.', 'Restart'))) return;
  const notebook = active.bySession(id);
  showFailure(notebook ? await active.restart(notebook) : await engine.restartSession(id));
}

async function close(engine: Engine, { id, runs }: SessionInfo, active: Notebooks): Promise<void> {
  if (!(await confirm(runs > 0, 'Close this session?', 'Its variables are lost.', 'Close'))) return;
  active.expectClose(id);
  showFailure(await engine.closeSession(id));
}

/** Shares the session of a row, otherwise that of the active notebook; or stops that. */
async function share(node: Node | undefined, isShared: boolean, engine: Engine | undefined, active: Notebooks) {
  const subject = node?.row.subject;
  const id = subject?.kind === 'session' ? subject.session.id : activeSession(active);
  if (engine && id !== undefined) showFailure(await engine.shareSession(id, isShared));
  else showNoSession();
}

async function stop(engine: Engine, sandbox: { id: string; owner: unknown }): Promise<void> {
  const detail = 'Code in it stops and its variables are lost.';
  if (await confirm(sandbox.owner !== null, 'Stop this sandbox?', detail, 'Stop')) await engine.stopSandbox(sandbox.id);
}

async function closeAll(engine: Engine | undefined, active: Notebooks): Promise<void> {
  await active.endLeft();
  const sessions = engine?.snapshot().sessions ?? [];
  if (!engine || sessions.length === 0) {
    window.showInformationMessage('No session is open.');
    return;
  }
  const question = `Close ${formatCount(sessions.length, 'session')}?`;
  if (!(await confirm(true, question, 'All variables are lost, including those of agent sessions.', 'Close All')))
    return;
  for (const { id } of sessions) active.expectClose(id);
  await Promise.all(sessions.map(({ id }) => engine.closeSession(id)));
}

async function show(sessionId: string, active: Notebooks): Promise<void> {
  const notebook = active.documentOf(sessionId);
  if (notebook) await window.showNotebookDocument(notebook);
}

async function confirm(needed: boolean, question: string, detail: string, action: string): Promise<boolean> {
  if (!needed) return true;
  return (await window.showWarningMessage(question, { modal: true, detail }, action)) === action;
}

function showFailure(result: Result<SessionInfo> | null): void {
  if (result && !result.ok) window.showErrorMessage(formatProblem(result.error));
}
