import { plainText } from '../../base/log.ts';
import { LANGUAGES } from '../../engine/types.ts';
import { type Command, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { problemText, say } from '../terminal.ts';
import { languageOf } from './run.ts';

/** Builds the image of a language's environment. */
export const build: Command = {
  name: 'build',
  usage: `build ${LANGUAGES.join('|')}`,
  summary: "Build the image that a language's sandboxes are made of.",
  help: [],
  options: {},
  async run(context, { positionals: [name, ...more] }) {
    if (more.length > 0) throw new UsageError('build takes one language.');
    const language = languageOf(name);
    const { stdout } = context.terminal;
    return withEngine(context, async (engine) => {
      const onLine = (line: string) => void stdout.write(`${plainText(line)}\n`);
      const built = await engine.buildEnvironment(language, onLine, context.signal);
      if (built.ok) stdout.write(`Built ${built.value}\n`);
      else say(context.terminal, problemText(built.error));
      return built.ok ? 0 : FAILURE_STATUS;
    });
  },
};
