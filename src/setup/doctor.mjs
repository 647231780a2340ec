import { cli, programEnv } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { ask, output } from './run.mjs';

const ANSWER_MS = 10_000;

/** What `hothouse doctor --json` reports. */
export async function doctor() {
  const { text } = await output(process.execPath, [cli, 'doctor', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: programEnv(),
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new SetupProblem('The program that was just built does not start.', `node ${cli} doctor`);
  }
}

/** The engine's command line where an engine answers it, otherwise null. */
export async function answeringEngine() {
  const command = await engineCommand().catch(() => null);
  const answers = command && (await ask(command, ['version'], { timeout: ANSWER_MS }));
  return answers ? command : null;
}

/** The engine's command line: `docker`, or `podman` where only that is there. */
export async function engineCommand() {
  for (const command of ['docker', 'podman']) if ((await ask(command, ['--version'])) !== null) return command;
  throw new SetupProblem(
    'A container engine answers, but neither docker nor podman is in PATH.',
    'apt-get install docker.io',
  );
}
