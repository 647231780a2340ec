import { commands, type Disposable, window } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import type { App } from '../app.ts';
import { buildPythonEnvironment } from './build.ts';
import { copyMcpAddress } from './copyAddress.ts';
import { doctor } from './doctor.ts';
import { fixProblem } from './fix.ts';

const COMMANDS: Readonly<Record<string, (app: App) => unknown>> = {
  'hothouse.buildPythonEnvironment': buildPythonEnvironment,
  'hothouse.doctor': doctor,
  'hothouse.fixProblem': fixProblem,
  'hothouse.copyMcpAddress': copyMcpAddress,
  'hothouse.showLog': ({ log }) => log.show(),
};

/** The commands that need nothing but the engine. */
export function registerCommands(app: App): Disposable {
  const stack = new DisposableStack();
  for (const [id, act] of Object.entries(COMMANDS)) {
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
