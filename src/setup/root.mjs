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

/** `sudo` and its flags, or null where this user cannot use it. A terminal may be asked for the password. */
export async function sudoWords() {
  const sudo = ['sudo', ...(process.stdin.isTTY ? [] : ['-n'])];
  const [program, ...flags] = sudo;
  const may = await ask(program, [...flags, 'true'], { stdio: ['inherit', 'pipe', 'inherit'] });
  return may === null ? null : sudo;
}
