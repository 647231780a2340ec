import { ProgressLocation, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { Engine, Result } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';

/** Builds a language's image and shows progress; the build's output goes to the log. */
export function buildEnvironment(language: string, app: App): Promise<void> {
  const { name } = editorLanguage(language);
  return build(`${name} environment`, app, (engine, onLine, signal) =>
    engine.buildEnvironment(language, onLine, signal),
  );
}

/** Builds the image of the network proxy in the same way. */
export function buildProxy(app: App): Promise<void> {
  return build('network proxy', app, (engine, onLine, signal) => engine.buildProxy(onLine, signal));
}

type Build = (engine: Engine, onLine: (line: string) => void, signal: AbortSignal) => Promise<Result<string>>;

async function build(what: string, app: App, start: Build): Promise<void> {
  const built = await window.withProgress(
    { location: ProgressLocation.Notification, title: `Building the ${what}`, cancellable: true },
    async (progress, token): Promise<Result<string>> => {
      const engine = await app.engine.get();
      const onLine = (line: string) => {
        const text = plainText(line);
        app.log.info(text);
        progress.report({ message: shortened(text) });
      };
      return start(engine, onLine, abortSignal(token));
    },
  );
  await app.health.check();
  await showResult(built, what, app);
}

async function showResult(built: Result<string>, what: string, { log }: App): Promise<void> {
  if (built.ok) {
    window.showInformationMessage(`The ${what} is ready.`);
  } else if (built.error.kind !== 'cancelled') {
    const show = 'Show Log';
    const chosen = await window.showErrorMessage(formatProblem(built.error), show);
    if (chosen === show) log.show();
  }
}

/** A progress notification has room for one short line. */
function shortened(line: string): string {
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
