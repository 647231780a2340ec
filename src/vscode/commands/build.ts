import { ProgressLocation, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { Attempt } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';

/** Builds the Python environment's image with progress; the build's output goes to the log. */
export async function buildPythonEnvironment(app: App): Promise<void> {
  const built = await window.withProgress(
    { location: ProgressLocation.Notification, title: 'Building the Python environment', cancellable: true },
    async (progress, token): Promise<Attempt<string>> => {
      const engine = await app.engine.get();
      const onLine = (line: string) => {
        const text = plainText(line);
        app.log.info(text);
        progress.report({ message: shortened(text) });
      };
      return engine.buildEnvironment('python', onLine, abortSignal(token));
    },
  );
  await app.health.check();
  await tell(built, app);
}

async function tell(built: Attempt<string>, { log }: App): Promise<void> {
  if (built.ok) {
    window.showInformationMessage('The Python environment is ready.');
  } else if (built.error.kind !== 'cancelled') {
    const show = 'Show Log';
    const chosen = await window.showErrorMessage(`${built.error.message} ${built.error.advice}`, show);
    if (chosen === show) log.show();
  }
}

/** A notification has room for one short line. */
function shortened(line: string): string {
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
