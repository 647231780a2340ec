import { homedir } from 'node:os';
import { join } from 'node:path';
import { extensions, window, workspace } from 'vscode';
import { messageOf } from '../../base/log.ts';
import type { Client, Place, ServerProgram } from '../../clients/client.ts';
import { type Launcher, launcherOf, renewLauncher, writeLauncher } from '../../clients/launcher.ts';
import type { App } from '../app.ts';

/** What a change of a client is called in questions and reports. */
interface Words {
  readonly pick: string;
  readonly question: (label: string) => string;
  readonly button: string;
  readonly done: string;
  readonly unchanged: (label: string) => string;
}

const ADD: Words = {
  pick: 'Select the client that starts Hothouse',
  question: (label) => `Add Hothouse to ${label}?`,
  button: 'Add',
  done: 'Added Hothouse to',
  unchanged: (label) => `${label} has Hothouse already.`,
};
const REMOVE: Words = {
  pick: 'Select the client that no longer starts Hothouse',
  question: (label) => `Remove Hothouse from ${label}?`,
  button: 'Remove',
  done: 'Removed Hothouse from',
  unchanged: (label) => `${label} does not have Hothouse.`,
};

/** Adds Hothouse to another MCP client of this machine, after a look at the change. */
export function addToMcpClient(app: App): Promise<void> {
  return change(app, ADD, launcher(app.extensionId));
}

/** Removes Hothouse from another MCP client of this machine, after a look at the change. */
export function removeFromMcpClient(app: App): Promise<void> {
  return change(app, REMOVE, null);
}

/** Makes the entries that were added before an update of the extension start this version. Never rejects. */
export async function followUpdate({ extensionId, log }: App): Promise<void> {
  try {
    await renewLauncher(launcher(extensionId));
  } catch (error) {
    log.warn(`MCP clients may start an old version of Hothouse: ${messageOf(error)}`);
  }
}

/** The folder of an extension has its version in its name, so clients start a file that stays. */
function launcher(extensionId: string): Launcher {
  return launcherOf({ platform: process.platform, home: homedir() }, programOf(extensionId));
}

async function change({ log }: App, words: Words, launched: Launcher | null): Promise<void> {
  const [{ planChange }, { writeClientFile }, client] = await Promise.all([
    import('../../clients/change.ts'),
    import('../../clients/clientFile.ts'),
    pickClient(words.pick),
  ]);
  if (!client) return;
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  if (client.isShared && folder === undefined) throw new Error('Open a folder first: the file belongs to one.');
  const place: Place = { platform: process.platform, home: homedir(), env: process.env, folder: folder ?? homedir() };
  const planned = await planChange(client, place, launched?.program ?? null);
  if (!planned.ok) throw new Error(planned.problem);
  const { file, after, diff } = planned.value;
  const prepare = async () => {
    if (launched && !client.isShared) await writeLauncher(launched);
  };
  if (diff === '') {
    await prepare();
    window.showInformationMessage(words.unchanged(client.label));
    return;
  }
  const question = words.question(client.label);
  const chosen = await window.showInformationMessage(question, { modal: true, detail: diff }, words.button);
  if (chosen !== words.button) return;
  await prepare();
  const backup = await writeClientFile(file, after);
  const copy = backup ? ` The old file is ${backup}.` : '';
  log.info(`${words.done} ${client.label}: ${file.path}.${copy}`);
  window.showInformationMessage(`${words.done} ${client.label}. Restart it to apply the change.${copy}`);
}

async function pickClient(placeHolder: string): Promise<Client | undefined> {
  const { CLIENTS } = await import('../../clients/client.ts');
  const items = CLIENTS.map((client) => ({ label: client.label, client }));
  const picked = await window.showQuickPick(items, { placeHolder });
  return picked?.client;
}

/** The command line of this extension, run by the editor's own Node.js. */
function programOf(extensionId: string): ServerProgram {
  const extension = extensions.getExtension(extensionId);
  if (!extension) throw new Error('VS Code does not know where this extension is.');
  const program = { command: process.execPath, args: [join(extension.extensionPath, 'dist', 'program.js'), 'mcp'] };
  return process.versions.electron ? { ...program, env: { ELECTRON_RUN_AS_NODE: '1' } } : program;
}
