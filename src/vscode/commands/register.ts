import { commands, type Disposable, window } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import type { App } from '../app.ts';
import { ALL_LANGUAGES } from '../languages.ts';
import { buildEnvironment } from './build.ts';
import { addToMcpClient, removeFromMcpClient } from './changeClient.ts';
import { copyMcpAddress } from './copyAddress.ts';
import { doctor } from './doctor.ts';
import { fixProblem } from './fixProblem.ts';

type Act = (app: App) => unknown;

const COMMANDS: Readonly<Record<string, Act>> = {
  'hothouse.doctor': doctor,
  'hothouse.fixProblem': fixProblem,
  'hothouse.copyMcpAddress': copyMcpAddress,
  'hothouse.addToMcpClient': addToMcpClient,
  'hothouse.removeFromMcpClient': removeFromMcpClient,
  'hothouse.showLog': ({ log }) => log.show(),
};

const BUILDS = ALL_LANGUAGES.map(({ id, commands: { build } }): [string, Act] => [
  build,
  (app) => buildEnvironment(id, app),
]);

/** Registers the commands that need only the app. */
export function registerCommands(app: App): Disposable {
  const stack = new DisposableStack();
  for (const [id, act] of [...Object.entries(COMMANDS), ...BUILDS]) {
    stack.add(
      commands.registerCommand(id, async () => {
        try {
          await act(app);
        } catch (error) {
          app.log.error(`${id}: ${messageOf(error)}`);
          window.showErrorMessage(`Hothouse: ${messageOf(error)}`);
        }
      }),
    );
  }
  return stack;
}
