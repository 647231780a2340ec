import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { formatList } from '../../base/list.ts';
import { plainText } from '../../base/log.ts';
import type { BuildExtras } from '../../engine/types.ts';
import type { BuildOption, LanguageDefinition } from '../../languages/languageDefinition.ts';
import { addPair, type Handle, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { languageOf } from '../namedLanguage.ts';
import { problemText, say } from '../terminal.ts';

/** In place of a language: the proxy of sandboxes that may reach some hosts. */
const PROXY = 'proxy';

/** Values by option name: those of `buildOptions` beside the one that every build takes. */
type BuildValues = Readonly<Record<string, unknown>> & { readonly buildArg?: Readonly<Record<string, string>> };

/** `hothouse build`: builds the image of a language's environment. */
export function buildCommand(handle: Handle, languages: readonly LanguageDefinition[]): Command {
  const command = new Command('build')
    .description("Build the image of a language's environment, or of the network proxy")
    .argument('<LANGUAGE>', formatList([...languages.map(({ id }) => id), PROXY], 'or'));
  for (const { id, buildOptions = [] } of languages) {
    for (const option of buildOptions) command.option(flagsOf(option), `${id}: ${option.help}`);
  }
  return command.option('--build-arg <KEY=VALUE>', 'set an argument of the Dockerfile; repeatable', addPair).action(
    handle(async (context, name: string, values: BuildValues) => {
      const language = name === PROXY ? null : languageOf(name, languages);
      for (const other of languages) if (other !== language) refuseOptions(other, values);
      const extras = language && (await extrasOf(language, values));
      const { stdout } = context.terminal;
      return withEngine(context, async (engine) => {
        const onLine = (line: string) => void stdout.write(`${plainText(line)}\n`);
        const built =
          language && extras
            ? await engine.buildEnvironment(language.id, onLine, context.signal, extras)
            : await engine.buildProxy(onLine, context.signal);
        if (built.ok) stdout.write(`Built ${built.value}\n`);
        else say(context.terminal, problemText(built.error));
        return built.ok ? 0 : FAILURE_STATUS;
      });
    }),
  );
}

function flagsOf(option: BuildOption): string {
  return 'needs' in option ? `--${option.name} <DIR>` : `--${option.name}`;
}

/** Throws `UsageError` when an option is given that only `language` has. */
function refuseOptions({ id, buildOptions = [] }: LanguageDefinition, values: BuildValues): void {
  if (buildOptions.every(({ name }) => values[name] === undefined)) return;
  const flags = buildOptions.map(({ name }) => `--${name}`);
  throw new UsageError(`${flags.join(' and ')} ${flags.length === 1 ? 'is' : 'are'} for ${id} only.`);
}

async function extrasOf(
  { displayName, buildOptions = [] }: LanguageDefinition,
  values: BuildValues,
): Promise<BuildExtras> {
  const folders: Record<string, string> = {};
  const buildArgs: Record<string, string> = {};
  for (const option of buildOptions) {
    const { name } = option;
    const given = values[name];
    if (!('needs' in option)) Object.assign(buildArgs, given === true && option.buildArgs);
    else if (typeof given === 'string') folders[name] = await folderWith(option.needs, given, `${displayName} ${name}`);
  }
  return { buildArgs: { ...buildArgs, ...values.buildArg }, folders };
}

/** `what` should be the folder `given`, with the path `needs` in it. Throws `UsageError`. */
async function folderWith(needs: string, given: string, what: string): Promise<string> {
  const folder = resolve(given);
  try {
    await access(join(folder, needs));
  } catch {
    throw new UsageError(`${given} is not a ${what}: it has no ${needs}.`);
  }
  return folder;
}
