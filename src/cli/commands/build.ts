import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { plainText } from '../../base/log.ts';
import { type BuildExtras, LANGUAGES, type LanguageId } from '../../engine/types.ts';
import { addPair, type Handle, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { problemText, say } from '../terminal.ts';
import { languageOf } from './run.ts';

interface BuildOptions {
  readonly toolchain?: string;
  readonly mathlib?: boolean;
  readonly buildArg?: Readonly<Record<string, string>>;
}

/** `hothouse build`: builds the image of a language's environment. */
export function buildCommand(handle: Handle): Command {
  return new Command('build')
    .description("Build the image of a language's environment")
    .argument('<LANGUAGE>', LANGUAGES.join(' or '))
    .option('--toolchain <DIR>', 'lean: use this toolchain (the folder with bin/lean) instead of downloading one')
    .option('--mathlib', 'lean: include compiled Mathlib; needs 6 GB of disk')
    .option('--build-arg <KEY=VALUE>', 'set an argument of the Dockerfile; repeatable', addPair)
    .action(
      handle(async (context, name: string, options: BuildOptions) => {
        const language = languageOf(name);
        const extras = await extrasOf(language, options);
        const { stdout } = context.terminal;
        return withEngine(context, async (engine) => {
          const onLine = (line: string) => void stdout.write(`${plainText(line)}\n`);
          const built = await engine.buildEnvironment(language, onLine, context.signal, extras);
          if (built.ok) stdout.write(`Built ${built.value}\n`);
          else say(context.terminal, problemText(built.error));
          return built.ok ? 0 : FAILURE_STATUS;
        });
      }),
    );
}

async function extrasOf(language: LanguageId, { toolchain, mathlib, buildArg }: BuildOptions): Promise<BuildExtras> {
  if (language !== 'lean' && (toolchain !== undefined || mathlib)) {
    throw new UsageError('--toolchain and --mathlib are for lean only.');
  }
  const folders = toolchain === undefined ? {} : { toolchain: await toolchainFolder(toolchain) };
  return { buildArgs: { ...(mathlib && { MATHLIB: '1' }), ...buildArg }, folders };
}

async function toolchainFolder(given: string): Promise<string> {
  const folder = resolve(given);
  try {
    await access(join(folder, 'bin', 'lean'));
  } catch {
    throw new UsageError(`${given} is not a Lean toolchain: it has no bin/lean.`);
  }
  return folder;
}
