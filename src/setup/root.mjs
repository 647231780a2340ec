import { SetupProblem } from './problem.mjs';
import { ask } from './run.mjs';

/** The command as root runs it, split into program and arguments; `advice` is for a user who cannot become root. */
export async function asRoot([program, ...args], advice) {
  if (process.getuid?.() === 0) return [program, args];
  const sudo = await sudoWords();
  if (!sudo) throw new SetupProblem(`${program} needs root, and sudo is not possible here.`, advice);
  const [first, ...flags] = sudo;
  return [first, [...flags, program, ...args]];
}

/** Whether somebody is there to read and to answer: in a CI job, or where a stream is redirected, nobody is. */
export function isInteractive({ stdin, stdout, env } = process) {
  return Boolean(stdin.isTTY && stdout.isTTY && !env.CI);
}

/**
 * `sudo` and its flags, or null where this user cannot use it. On a terminal it may ask for the password, here and now:
 * what is run with these words then asks nothing.
 */
export async function sudoWords() {
  const quiet = ['sudo', '-n'];
  if (await asksNothing()) return quiet;
  if (!isInteractive() || !(await letsIn())) return null;
  // One that remembers no password has to ask again.
  return (await asksNothing()) ? quiet : ['sudo'];
}

async function asksNothing() {
  return (await ask('sudo', ['-n', 'true'])) !== null;
}

async function letsIn() {
  return (await ask('sudo', ['true'], { stdio: ['inherit', 'pipe', 'inherit'] })) !== null;
}
