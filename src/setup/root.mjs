import { ask } from './commands.mjs';
import { SetupProblem } from './steps.mjs';

/** The command as root, split into program and arguments; `advice` is the command for a user who cannot use sudo. */
export async function asRoot([program, ...args], advice) {
  if (process.getuid?.() === 0) return [program, args];
  const sudo = await sudoCommand();
  if (!sudo) throw new SetupProblem(`${program} needs root, and sudo is not available.`, advice);
  const [first, ...flags] = sudo;
  return [first, [...flags, program, ...args]];
}

/** Whether a user can answer questions: not in a CI job or with redirected streams. */
export function isInteractive({ stdin, stdout, env } = process) {
  return Boolean(stdin.isTTY && stdout.isTTY && !env.CI);
}

/**
 * `sudo` and its flags, or null if this user cannot use it. On a terminal it may ask for the password now, so that later
 * commands do not.
 */
export async function sudoCommand() {
  const quiet = ['sudo', '-n'];
  if (await needsNoPassword()) return quiet;
  if (!isInteractive() || !(await acceptsPassword())) return null;
  // A sudo that caches no password asks again.
  return (await needsNoPassword()) ? quiet : ['sudo'];
}

async function needsNoPassword() {
  return (await ask('sudo', ['-n', 'true'])) !== null;
}

async function acceptsPassword() {
  return (await ask('sudo', ['true'], { stdio: ['inherit', 'pipe', 'inherit'] })) !== null;
}
