import { commands, type Disposable, type ExtensionContext, env, type Memento, window, workspace } from 'vscode';
import { type Log, messageOf } from '../base/log.ts';
import type { Configuration } from '../config/config.ts';
import type { Options } from '../engine/options.ts';
import type { EngineHandle } from './engineHandle.ts';

const SECTION = 'hothouse';
/** What begins so is read by the feature itself. */
const EDITOR_ONLY = 'workspaceFolder.';
/** Key of the problems and notes that were shown, in the extension's state. */
const SHOWN = 'hothouse.shownProblems';

/** What we read of package.json: the categories of settings. */
interface Manifest {
  readonly contributes: { readonly configuration: readonly { readonly properties: object }[] };
}

/** The user's settings, resolved with the other sources of options. */
export class Settings {
  readonly #keys: readonly string[];
  readonly #state: Memento;
  readonly #log: Log;

  constructor({ extension, globalState }: ExtensionContext, log: Log) {
    this.#keys = settingKeys(extension.packageJSON);
    this.#state = globalState;
    this.#log = log;
  }

  /** Reads the options in force. Invalid values are reported and ignored. */
  async options(): Promise<Options> {
    const { options, problems, notes } = await readConfiguration(userValues(this.#keys));
    for (const problem of problems) this.#log.warn(problem);
    for (const { text } of notes) this.#log.info(text);
    const important = notes.filter((note) => note.important).map(({ text }) => text);
    showNew(problems, important, this.#state);
    return options;
  }

  /** Applies changed settings to the engine, also to one that is being built. */
  follow(handle: EngineHandle): Disposable {
    return workspace.onDidChangeConfiguration((change) => {
      const started = change.affectsConfiguration(SECTION) ? handle.started : undefined;
      if (!started) return;
      Promise.all([started, this.options()]).then(
        ([engine, options]) => engine.configure(options),
        (error: unknown) => this.#log.error(`The settings could not be applied: ${messageOf(error)}`),
      );
    });
  }
}

/** Opens the Settings editor at `query`; in a remote window at the remote machine's settings, which hold ours. */
export async function openSetting(query: string): Promise<void> {
  const command = env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings';
  await commands.executeCommand(`workbench.action.${command}`, { query });
}

async function readConfiguration(values: Readonly<Record<string, unknown>>): Promise<Configuration> {
  const [{ loadConfiguration }, { homedir }] = await Promise.all([import('../config/config.ts'), import('node:os')]);
  return loadConfiguration({
    flags: {},
    settings: { name: 'the settings', values },
    env: process.env,
    home: homedir(),
  });
}

/** Keys of the engine's options without our section, as package.json declares them; other settings are the editor's. */
function settingKeys({ contributes: { configuration } }: Manifest): string[] {
  return configuration
    .flatMap(({ properties }) => Object.keys(properties))
    .map((key) => key.slice(SECTION.length + 1))
    .filter((key) => !key.startsWith(EDITOR_ONLY));
}

/** Only values that the user set: a default here would override environment variables and the YAML file. */
function userValues(keys: readonly string[]): Record<string, unknown> {
  const section = workspace.getConfiguration(SECTION);
  return Object.fromEntries(
    keys.map((key) => [key, section.inspect(key)?.globalValue]).filter(([, value]) => value !== undefined),
  );
}

/** Shows each message once, and again only after it was gone in between. */
function showNew(problems: readonly string[], notes: readonly string[], state: Memento): void {
  const shown = new Set(state.get<readonly string[]>(SHOWN, []));
  void state.update(SHOWN, [...problems, ...notes]);
  const isNew = (text: string) => !shown.has(text);
  for (const problem of problems.filter(isNew)) void show(window.showWarningMessage, problem);
  for (const note of notes.filter(isNew)) void show(window.showInformationMessage, note);
}

async function show(showMessage: typeof window.showWarningMessage, text: string): Promise<void> {
  const open = 'Open Settings';
  const chosen = await showMessage(`Hothouse: ${text}`, open);
  if (chosen === open) await openSetting('@ext:hothouse.hothouse');
}
