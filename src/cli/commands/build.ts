import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plainText } from '../../base/log.ts';
import { type BuildExtras, LANGUAGES, type LanguageId } from '../../engine/types.ts';
import { type Command, type CommandArguments, pairsOption, textOption, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { problemText, say } from '../terminal.ts';
import { languageOf } from './run.ts';

/** Builds the image of a language's environment. */
export const build: Command = {
  name: 'build',
  usage: `build ${LANGUAGES.join('|')}`,
  summary: "Build the image that a language's sandboxes are made of.",
  help: [
    '--toolchain DIR       lean: take this toolchain (the folder with bin/lean in it) and download none',
    '--mathlib             lean: have Mathlib with its compiled files in the image; it needs 6 GB',
    '--build-arg KEY=VALUE an argument for the Dockerfile, for example LEAN_TOOLCHAIN=leanprover/lean4:v4.35.0',
  ],
  options: {
    toolchain: { type: 'string' },
    mathlib: { type: 'boolean' },
    'build-arg': { type: 'string', multiple: true },
  },
  async run(context, args) {
    const [name, ...more] = args.positionals;
    if (more.length > 0) throw new UsageError('build takes one language.');
    const language = languageOf(name);
    const extras = await extrasOf(language, args);
    const { stdout } = context.terminal;
    return withEngine(context, async (engine) => {
      const onLine = (line: string) => void stdout.write(`${plainText(line)}\n`);
      const built = await engine.buildEnvironment(language, onLine, context.signal, extras);
      if (built.ok) stdout.write(`Built ${built.value}\n`);
      else say(context.terminal, problemText(built.error));
      return built.ok ? 0 : FAILURE_STATUS;
    });
  },
};

async function extrasOf(language: LanguageId, args: CommandArguments): Promise<BuildExtras> {
  const toolchain = textOption(args, 'toolchain');
  const mathlib = Boolean(args.values.mathlib);
  if (language !== 'lean' && (toolchain !== undefined || mathlib)) {
    throw new UsageError('--toolchain and --mathlib are for lean only.');
  }
  const folders = toolchain === undefined ? {} : { toolchain: await toolchainFolder(toolchain) };
  return { buildArgs: { ...(mathlib && { MATHLIB: '1' }), ...pairsOption(args, 'build-arg') }, folders };
}

async function toolchainFolder(given: string): Promise<string> {
  const folder = resolve(given);
  try {
    await access(join(folder, 'bin', 'lean'));
  } catch {
    throw new UsageError(`${given} is no toolchain of Lean: there is no bin/lean in it.`);
  }
  return folder;
}
