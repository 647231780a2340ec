import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type Disposable, type ExtensionContext, type Uri, type WorkspaceFolder, window, workspace } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import type { EnvironmentFile } from '../../config/environmentFile.ts';
import { formatEnvironmentNetwork, needsConsent } from '../../engine/network/environmentNetwork.ts';
import type { App } from '../app.ts';

const FILE = '.hothouse/environments.yaml';
/** Hashes of the files that the user was asked about, in the workspace's state. */
const ASKED = 'hothouse.askedEnvironmentFiles';

/** Asks once about each content of `.hothouse/environments.yaml` in a trusted workspace; builds only what the user wants. */
export function followEnvironmentFiles(app: App, context: ExtensionContext): Disposable {
  const stack = new DisposableStack();
  const check = (folder: WorkspaceFolder) =>
    checkFolder(folder, app, context).catch((error) => app.log.error(`${FILE}: ${messageOf(error)}`));
  const checkAll = () => Promise.all((workspace.workspaceFolders ?? []).map(check));
  const watcher = stack.add(workspace.createFileSystemWatcher(`**/${FILE}`));
  const onFile = (uri: Uri) => {
    const folder = workspace.getWorkspaceFolder(uri);
    if (folder) void check(folder);
  };
  stack.add(watcher.onDidChange(onFile));
  stack.add(watcher.onDidCreate(onFile));
  stack.add(workspace.onDidGrantWorkspaceTrust(() => void checkAll()));
  void checkAll();
  return stack;
}

async function checkFolder(folder: WorkspaceFolder, app: App, { workspaceState }: ExtensionContext): Promise<void> {
  if (!workspace.isTrusted) return;
  const uri = folder.uri.with({ path: posix.join(folder.uri.path, FILE) });
  const text = await readText(uri);
  if (text === null) return;
  const hash = createHash('sha256').update(text).digest('hex');
  const asked = workspaceState.get<readonly string[]>(ASKED, []);
  if (asked.includes(hash)) return;
  await workspaceState.update(ASKED, [...asked.slice(-20), hash]);
  const [{ parseEnvironmentFile }, { LANGUAGES }] = await Promise.all([
    import('../../config/environmentFile.ts'),
    import('../../languages/registry.ts'),
  ]);
  const file = parseEnvironmentFile(text, LANGUAGES);
  if (file.problems.length > 0) await showProblems(uri, file);
  if (file.environments.length > 0) await offer(folder, uri, file, app);
}

async function offer(folder: WorkspaceFolder, uri: Uri, { environments }: EnvironmentFile, app: App): Promise<void> {
  const names = environments.map(({ input }) => input.name).join(', ');
  const [create, open] = ['Create', 'Show File'];
  const message = `The workspace ${folder.name} defines environments for Hothouse: ${names}. Creating them installs packages.${reached(environments)}`;
  let chosen = await window.showInformationMessage(message, create, open);
  if (chosen === open) {
    await window.showTextDocument(uri);
    chosen = await window.showInformationMessage(message, create);
  }
  if (chosen !== create) return;
  const { build } = await import('./newEnvironment.ts');
  for (const { input, lock } of environments) {
    if (!(await build(input, app, { lock }))) return;
  }
  window.showInformationMessage(`Ready: ${names}. “Hothouse: Select Environment” uses one in a notebook.`);
}

/** What code in them reaches; the user is asked about each of them again. */
function reached(environments: EnvironmentFile['environments']): string {
  const sentences = environments.flatMap(({ input: { name, network } }) =>
    network !== undefined && needsConsent(network)
      ? [` Code in ${name} reaches ${formatEnvironmentNetwork(network)}.`]
      : [],
  );
  return sentences.join('');
}

async function showProblems(uri: Uri, { problems }: EnvironmentFile): Promise<void> {
  const open = 'Show File';
  const chosen = await window.showWarningMessage(`${FILE}: ${problems.slice(0, 5).join(' ')}`, open);
  if (chosen === open) await window.showTextDocument(uri);
}

async function readText(uri: Uri): Promise<string | null> {
  try {
    return Buffer.from(await workspace.fs.readFile(uri)).toString('utf8');
  } catch {
    return null;
  }
}
