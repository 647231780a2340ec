import { ask, output } from './commands.mjs';
import { cli, programEnv } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

const ANSWER_MS = 10_000;

/** The report of `hothouse doctor --json` about Docker. */
export function dockerDoctor() {
  return doctor('docker');
}

/** The same about this machine without a container engine. */
export function localDoctor() {
  return doctor('local');
}

async function doctor(kind) {
  const { text } = await output(process.execPath, [cli, 'doctor', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...programEnv(), HOTHOUSE_HOST_KIND: kind },
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new SetupProblem('The command line that was just built does not start.', `node ${cli} doctor`);
  }
}

/** `dockerCommand()` if a container engine responds to it, otherwise null. */
export async function respondingDocker() {
  const command = await dockerCommand().catch(() => null);
  const answers = command && (await ask(command, ['version'], { timeout: ANSWER_MS }));
  return answers ? command : null;
}

/** `docker`, or `podman` if only that is in PATH. */
export async function dockerCommand() {
  for (const command of ['docker', 'podman']) if ((await ask(command, ['--version'])) !== null) return command;
  throw new SetupProblem(
    'A container engine responds, but neither docker nor podman is in PATH.',
    'apt-get install docker.io',
  );
}
