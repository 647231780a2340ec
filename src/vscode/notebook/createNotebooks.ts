import type { App } from '../app.ts';
import { showProblem } from '../commands/fixProblem.ts';
import { editorLanguage } from '../languages.ts';
import type { WorkspaceFolders } from '../workspaceFolder/workspaceFolders.ts';
import { notifyLoss } from './lostSession.ts';
import { selectKernel } from './newSession.ts';
import { Notebooks } from './notebooks.ts';

/** The notebooks of this window; what happens to their sessions is shown to the user. */
export function createNotebooks(app: App, folders: WorkspaceFolders): Notebooks {
  return new Notebooks(app.engine, {
    onProblem: (problem, language) => {
      app.health.check().catch(() => {});
      void showProblem(problem, language, app);
    },
    onCell: (notebook, { id, language, owner, isNew }, signal) =>
      folders.prepare({ notebook, sessionId: id, language, owner }, isNew, signal),
    ...app.left,
    onLost: (notebook, reason) => void notifyLoss(notebook, reason),
    onMoved: (notebook, language) => void selectKernel(notebook, editorLanguage(language), app.extensionId),
  });
}
