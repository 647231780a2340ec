import { type Disposable, type ExtensionContext, type Memento, window, workspace } from 'vscode';
import { type Log, messageOf } from '../base/log.ts';
import type { Configuration } from '../config/config.ts';
import type { OptionSource } from '../config/resolveOptions.ts';
import type { Options } from '../engine/options.ts';
import { openSetting } from './commands/fix.ts';
import type { EngineHandle } from './engineHandle.ts';

const SECTION = 'hothouse';
const TOLD = 'hothouse.toldProblems';

/** Where options come from in the editor. */
export interface Settings {
  /** The options in force; tells what is wrong in their sources. */
  options(): Promise<Options>;
}

/** Options from the settings and from everything that is weaker than they are. */
export type Resolve = (settings: OptionSource) => Promise<Pick<Configuration, 'options' | 'problems' | 'notes'>>;

/** The settings that the user set, resolved with the other sources. */
export function settingsOf({ extension, globalState }: ExtensionContext, log: Log, resolve: Resolve): Settings {
  const keys = settingKeys(extension.packageJSON);
  return {
    async options() {
      const { options, problems, notes } = await resolve({ name: 'the settings', values: userValues(keys) });
      for (const problem of problems) log.warn(problem);
      for (const { text } of notes) log.info(text);
      const important = notes.filter((note) => note.important).map(({ text }) => text);
      tell(problems, important, globalState);
      return options;
    },
  };
}

/** Hands changed settings to the engine, also when it was just being built with the old ones. */
export function registerSettings(settings: Settings, handle: EngineHandle, log: Log): Disposable {
  return workspace.onDidChangeConfiguration((change) => {
    const started = change.affectsConfiguration(SECTION) ? handle.started : undefined;
    if (!started) return;
    Promise.all([started, settings.options()]).then(
      ([engine, options]) => engine.configure(options),
      (error: unknown) => log.error(`The settings could not be applied: ${messageOf(error)}`),
    );
  });
}

/** Keys of our settings without their section, as package.json declares them. */
function settingKeys(packageJson: { contributes: { configuration: { properties: object } } }): string[] {
  return Object.keys(packageJson.contributes.configuration.properties).map((key) => key.slice(SECTION.length + 1));
}

/** Only what the user set: a default here would hide what the variables and the YAML file say. */
function userValues(keys: readonly string[]): Record<string, unknown> {
  const section = workspace.getConfiguration(SECTION);
  return Object.fromEntries(
    keys.map((key) => [key, section.inspect(key)?.globalValue]).filter(([, value]) => value !== undefined),
  );
}

/** Shows each sentence once, until it has been away. */
function tell(problems: readonly string[], notes: readonly string[], memory: Memento): void {
  const told = new Set(memory.get<readonly string[]>(TOLD, []));
  void memory.update(TOLD, [...problems, ...notes]);
  const isNew = (sentence: string) => !told.has(sentence);
  for (const problem of problems.filter(isNew)) void show(window.showWarningMessage, problem);
  for (const note of notes.filter(isNew)) void show(window.showInformationMessage, note);
}

async function show(message: typeof window.showWarningMessage, sentence: string): Promise<void> {
  const open = 'Open Settings';
  const chosen = await message(`Hothouse: ${sentence}`, open);
  if (chosen === open) await openSetting('@ext:hothouse.hothouse');
}
