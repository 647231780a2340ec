import {
  commands,
  type Disposable,
  type NotebookDocument,
  NotebookEdit,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import type { EnvironmentRecord } from '../../engine/environment/definition.ts';
import type { App } from '../app.ts';
import { formatProblem } from '../format.ts';
import type { Notebooks } from '../notebook/notebooks.ts';
import type { Node } from '../pool/rowProvider.ts';
import { environmentOf, METADATA_KEY } from './notebookEnvironment.ts';

/** Registers the commands about environments. */
export function registerEnvironmentCommands(app: App, notebooks: Notebooks): Disposable {
  const stack = new DisposableStack();
  const on = (id: string, act: (node: Node | undefined) => Promise<unknown>) =>
    stack.add(
      commands.registerCommand(id, async (node?: Node) => {
        try {
          await act(node);
        } catch (error) {
          app.log.error(`${id}: ${messageOf(error)}`);
          window.showErrorMessage(`Hothouse: ${messageOf(error)}`);
        }
      }),
    );
  on('hothouse.newEnvironment', async () => {
    // Loaded when it is needed: it reads schemas and files of projects.
    const { newEnvironment } = await import('./newEnvironment.ts');
    await offerUse(await newEnvironment(app), notebooks);
  });
  on('hothouse.environment.remove', async (node) => remove(await named(node, app), app));
  on('hothouse.environment.export', async (node) => exportEnvironment(await named(node, app)));
  on('hothouse.selectEnvironment', () => selectEnvironment(app, notebooks));
  return stack;
}

/** The environment of a row, or one that the user picks. */
async function named(node: Node | undefined, app: App): Promise<EnvironmentRecord | undefined> {
  const engine = await app.engine.get();
  const records = await engine.environments.list();
  const subject = node?.row.subject;
  if (subject?.kind === 'environment') return records.find(({ name }) => name === subject.name);
  if (records.length === 0) {
    window.showInformationMessage('There are no environments. Run “Hothouse: New Environment…” to create one.');
    return undefined;
  }
  const items = records.map((record) => ({ label: record.name, description: record.language, record }));
  return (await window.showQuickPick(items, { placeHolder: 'Environment' }))?.record;
}

async function remove(record: EnvironmentRecord | undefined, app: App): Promise<void> {
  if (!record) return;
  const question = `Remove the environment ${record.name}?`;
  const detail = 'Its image is removed too. Notebooks that use it need another one.';
  if ((await window.showWarningMessage(question, { modal: true, detail }, 'Remove')) !== 'Remove') return;
  const engine = await app.engine.get();
  const removed = await engine.environments.remove(record.name);
  if (!removed.ok) window.showErrorMessage(formatProblem(removed.error));
}

/** Opens the environment as a file, with the exact versions of all that it has. */
async function exportEnvironment(record: EnvironmentRecord | undefined): Promise<void> {
  if (!record) return;
  const { formatEnvironmentFile } = await import('../../config/environmentFile.ts');
  const content = formatEnvironmentFile(record, true);
  await window.showTextDocument(await workspace.openTextDocument({ language: 'yaml', content }));
}

async function offerUse(record: EnvironmentRecord | undefined, notebooks: Notebooks): Promise<void> {
  if (!record) return;
  const notebook = window.activeNotebookEditor?.notebook;
  const use = 'Use in This Notebook';
  const message = `The environment ${record.name} is ready.`;
  const chosen = notebook
    ? await window.showInformationMessage(message, use)
    : await window.showInformationMessage(message);
  if (notebook && chosen === use) await select(notebook, record.name, notebooks);
}

async function selectEnvironment(app: App, notebooks: Notebooks): Promise<void> {
  const notebook = window.activeNotebookEditor?.notebook;
  if (!notebook) return void window.showInformationMessage('Open a notebook first.');
  const engine = await app.engine.get();
  const records = await engine.environments.list();
  const current = environmentOf(notebook);
  const own = { label: 'Default', description: "the language's own environment", name: undefined };
  const items = [own, ...records.map(({ name, language }) => ({ label: name, description: language, name }))];
  const placeHolder = `Environment of this notebook; now: ${current ?? 'Default'}`;
  const picked = await window.showQuickPick(items, { title: 'Select Environment', placeHolder });
  if (picked && picked.name !== current) await select(notebook, picked.name, notebooks);
}

/** Writes the environment into the notebook and ends its session; the next cell opens one in the environment. */
async function select(notebook: NotebookDocument, name: string | undefined, notebooks: Notebooks): Promise<void> {
  const active = notebooks.find(notebook.uri);
  const runs = active?.session.info?.runs ?? 0;
  const detail = 'Its variables are lost; the next cell starts in the new environment.';
  const question = 'End the session of this notebook?';
  if (runs > 0 && (await window.showWarningMessage(question, { modal: true, detail }, 'End Session')) === undefined)
    return;
  const edit = new WorkspaceEdit();
  const { [METADATA_KEY]: _old, ...rest } = notebook.metadata;
  const metadata = name === undefined ? rest : { ...rest, [METADATA_KEY]: { environment: name } };
  edit.set(notebook.uri, [NotebookEdit.updateNotebookMetadata(metadata)]);
  await workspace.applyEdit(edit);
  if (active) notebooks.release(notebook, active.session.language);
}
