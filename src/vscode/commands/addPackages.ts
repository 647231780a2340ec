import { ProgressLocation, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { InstallReport } from '../../engine/packages/types.ts';
import type { Result, SessionInfo } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { splitPackages } from '../environments/inputs.ts';
import { formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';

/** What the names look like. */
const EXAMPLES = { pip: 'seaborn requests>=2', npm: 'lodash zod@4', nuget: 'Newtonsoft.Json' } as const;

/** Asks for names of packages, and installs them into a session. */
export async function addPackages(
  { id: sessionId, language }: Pick<SessionInfo, 'id' | 'language'>,
  { engine, log }: App,
): Promise<void> {
  const manager = editorLanguage(language).packageManager;
  const names = await window.showInputBox({
    title: `Add Packages to Session ${sessionId}`,
    prompt: 'Names of packages, separated by spaces. The variables of the session stay.',
    ...(manager && { placeHolder: EXAMPLES[manager] }),
    ignoreFocusOut: true,
  });
  const packages = splitPackages(names ?? '');
  const current = engine.current;
  if (packages.length === 0 || !current) return;
  const installed = await window.withProgress(
    { location: ProgressLocation.Notification, title: `Installing ${packages.join(', ')}`, cancellable: true },
    (_, token): Promise<Result<InstallReport>> => {
      const owner = { id: 'add-packages', kind: 'notebook', label: 'Add Packages' } as const;
      const onOutput = (text: string) => log.info(plainText(text.trimEnd()));
      return current.installPackages({ sessionId, owner, packages }, onOutput, abortSignal(token));
    },
  );
  if (installed.ok) window.showInformationMessage(summaryOf(installed.value));
  else if (installed.error.kind !== 'cancelled') window.showErrorMessage(formatProblem(installed.error));
}

function summaryOf({ added, notes }: InstallReport): string {
  const list = added.map(({ name, version }) => `${name} ${version}`).join(', ');
  return [added.length === 0 ? 'The session has these packages already.' : `Installed ${list}.`, ...notes].join(' ');
}
