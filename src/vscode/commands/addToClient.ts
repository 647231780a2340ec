import { homedir } from 'node:os';
import { join } from 'node:path';
import { extensions, window, workspace } from 'vscode';
import type { Client, Place, ServerProgram } from '../../clients/client.ts';
import type { App } from '../app.ts';

/** Adds Hothouse to another MCP client of this machine, after a look at the change. */
export async function addToMcpClient({ extensionId, log }: App): Promise<void> {
  const [{ planChange }, { writeClientFile }, client] = await Promise.all([
    import('../../clients/change.ts'),
    import('../../clients/clientFile.ts'),
    pickClient(),
  ]);
  if (!client) return;
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  if (client.isShared && folder === undefined) throw new Error('Open a folder first: the file belongs to one.');
  const place: Place = { platform: process.platform, home: homedir(), env: process.env, folder: folder ?? homedir() };
  const planned = await planChange(client, place, programOf(extensionId));
  if (!planned.ok) throw new Error(planned.problem);
  const { file, after, diff } = planned.value;
  if (diff === '') {
    window.showInformationMessage(`${client.label} has Hothouse already.`);
    return;
  }
  const question = `Add Hothouse to ${client.label}?`;
  const chosen = await window.showInformationMessage(question, { modal: true, detail: diff }, 'Add');
  if (chosen !== 'Add') return;
  const backup = await writeClientFile(file, after);
  log.info(`Added Hothouse to ${file.path}${backup ? `; the old file is ${backup}` : ''}.`);
  window.showInformationMessage(`Added Hothouse to ${client.label}. Restart it to apply the change.`);
}

async function pickClient(): Promise<Client | undefined> {
  const { CLIENTS } = await import('../../clients/client.ts');
  const items = CLIENTS.map((client) => ({ label: client.label, client }));
  const picked = await window.showQuickPick(items, { placeHolder: 'Select the client that starts Hothouse' });
  return picked?.client;
}

/** The command line of this extension, run by the editor's own Node.js. */
function programOf(extensionId: string): ServerProgram {
  const extension = extensions.getExtension(extensionId);
  if (!extension) throw new Error('VS Code does not know where this extension is.');
  const program = { command: process.execPath, args: [join(extension.extensionPath, 'dist', 'program.js'), 'mcp'] };
  return process.versions.electron ? { ...program, env: { ELECTRON_RUN_AS_NODE: '1' } } : program;
}
