import { commands, type Disposable, window } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import type { Engine, Result, SessionInfo } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { formatCount } from '../format.ts';
import type { Notebooks } from '../notebook/notebooks.ts';
import type { Node } from './rowProvider.ts';

/** What can be done with the rows of the pool view. */
export function registerPoolActions({ engine }: App, active: Notebooks): Disposable {
  const stack = new DisposableStack();
  const onSession = (command: string, act: (engine: Engine, session: SessionInfo) => Promise<unknown>) =>
    stack.add(
      commands.registerCommand(command, async (node?: Node) => {
        const subject = node?.row.subject;
        if (subject?.kind === 'session' && engine.current) await act(engine.current, subject.session);
      }),
    );
  onSession('hothouse.session.interrupt', async (on, { id }) => tell(await on.interruptSession(id)));
  onSession('hothouse.session.restart', (on, session) => restart(on, session, active));
  onSession('hothouse.session.close', (on, session) => close(on, session, active));
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
  if (!(await agreed(runs > 0, 'Restart this session?', 'Its variables are lost.', 'Restart'))) return;
  const notebook = active.bySession(id);
  tell(notebook ? await active.restart(notebook) : await engine.restartSession(id));
}

async function close(engine: Engine, { id, runs }: SessionInfo, active: Notebooks): Promise<void> {
  if (!(await agreed(runs > 0, 'Close this session?', 'Its variables are lost.', 'Close'))) return;
  active.expectClose(id);
  tell(await engine.closeSession(id));
}

async function stop(engine: Engine, sandbox: { id: string; owner: unknown }): Promise<void> {
  const detail = 'What runs in it is stopped, and variables in it are lost.';
  if (await agreed(sandbox.owner !== null, 'Stop this sandbox?', detail, 'Stop')) await engine.stopSandbox(sandbox.id);
}

async function closeAll(engine: Engine | undefined, active: Notebooks): Promise<void> {
  const sessions = engine?.snapshot().sessions ?? [];
  if (!engine || sessions.length === 0) {
    window.showInformationMessage('No session is open.');
    return;
  }
  const question = `Close ${formatCount(sessions.length, 'session')}?`;
  if (!(await agreed(true, question, 'Variables in them are lost, those of agents too.', 'Close All'))) return;
  for (const { id } of sessions) active.expectClose(id);
  await Promise.all(sessions.map(({ id }) => engine.closeSession(id)));
}

async function show(sessionId: string, active: Notebooks): Promise<void> {
  const notebook = active.documentOf(sessionId);
  if (notebook) await window.showNotebookDocument(notebook);
}

async function agreed(needed: boolean, question: string, detail: string, action: string): Promise<boolean> {
  if (!needed) return true;
  return (await window.showWarningMessage(question, { modal: true, detail }, action)) === action;
}

function tell(attempt: Result<SessionInfo> | null): void {
  if (attempt && !attempt.ok) window.showErrorMessage(`${attempt.error.message} ${attempt.error.advice}`);
}
