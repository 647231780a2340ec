import { ProgressLocation, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { EnvironmentInput, EnvironmentRecord } from '../../engine/environment/definition.ts';
import type { Result } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { formatProblem } from '../format.ts';
import { ALL_LANGUAGES } from '../languages.ts';
import { nameProblem, packagesProblem, splitPackages } from './inputs.ts';
import { findStarts, type Start } from './starts.ts';

const TITLE = 'New Environment';

/** Asks for an environment step by step and builds it; undefined when the user stops. */
export async function newEnvironment(app: App): Promise<EnvironmentRecord | undefined> {
  const start = await pickStart();
  const language = start?.language ?? (start && (await pickLanguage()));
  if (!start || language === undefined) return undefined;
  const name = await askName(app, start.name);
  const packages = name === undefined ? undefined : await askPackages(language, start);
  const apt = packages === undefined ? undefined : await askPackagesOf('apt', '4/4', start.packages.apt ?? []);
  if (name === undefined || packages === undefined || apt === undefined) return undefined;
  return build({ name, language, packages: { ...packages, apt } }, app);
}

/** Builds an environment with a notification that can cancel it; the output goes to the log. */
export async function build(
  input: EnvironmentInput,
  app: App,
  how: { readonly lock?: unknown; readonly replace?: boolean } = {},
): Promise<EnvironmentRecord | undefined> {
  const created = await window.withProgress(
    { location: ProgressLocation.Notification, title: `Building the environment ${input.name}`, cancellable: true },
    async (progress, token): Promise<Result<EnvironmentRecord>> => {
      const engine = await app.engine.get();
      const onLine = (line: string) => {
        const text = plainText(line);
        app.log.info(text);
        progress.report({ message: text.length > 60 ? `${text.slice(0, 59)}…` : text });
      };
      return engine.environments.create(input, { ...how, onLine, signal: abortSignal(token) });
    },
  );
  if (created.ok) return created.value;
  if (created.error.kind === 'cancelled') return undefined;
  const show = 'Show Log';
  void window.showErrorMessage(formatProblem(created.error), show).then((chosen) => chosen === show && app.log.show());
  return undefined;
}

async function pickStart(): Promise<Start | undefined> {
  const starts = await findStarts();
  const empty: Start = { label: 'No packages yet', name: '', packages: {}, leftOut: [] };
  if (starts.length === 0) return empty;
  const items = [empty, ...starts].map((start) => ({
    label: start.label,
    description: start === empty ? '' : `${Object.values(start.packages).flat().length} packages`,
    detail: start.leftOut.length > 0 ? `Not taken: ${start.leftOut.join('; ')}` : '',
    start,
  }));
  const picked = await window.showQuickPick(items, { title: `${TITLE} (1/4)`, placeHolder: 'What to start with' });
  return picked?.start;
}

async function pickLanguage(): Promise<string | undefined> {
  const items = ALL_LANGUAGES.map(({ id, name }) => ({ label: name, id }));
  const picked = await window.showQuickPick(items, { title: `${TITLE} (1/4)`, placeHolder: 'Language' });
  return picked?.id;
}

async function askName(app: App, value: string): Promise<string | undefined> {
  const engine = await app.engine.get();
  const taken = new Set((await engine.environments.list()).map(({ name }) => name));
  return window.showInputBox({
    title: `${TITLE} (2/4)`,
    prompt: 'Name of the environment',
    value,
    ignoreFocusOut: true,
    validateInput: (name) => nameProblem(name, taken),
  });
}

async function askPackages(language: string, start: Start): Promise<Record<string, string[]> | undefined> {
  const { packageManager } = ALL_LANGUAGES.find(({ id }) => id === language) ?? {};
  if (packageManager === undefined) return {};
  const entries = await askPackagesOf(packageManager, '3/4', start.packages[packageManager] ?? []);
  return entries && { [packageManager]: entries };
}

async function askPackagesOf(
  manager: 'pip' | 'npm' | 'nuget' | 'apt',
  step: string,
  entries: readonly string[],
): Promise<string[] | undefined> {
  const text = await window.showInputBox({
    title: `${TITLE} (${step})`,
    prompt: `Packages for ${manager}, separated by spaces`,
    value: entries.map((entry) => entry.replace(/\s+/g, '')).join(' '),
    ignoreFocusOut: true,
    validateInput: (value) => packagesProblem(manager, value),
  });
  return text === undefined ? undefined : splitPackages(text);
}
