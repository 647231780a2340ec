import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { ask } from './commands.mjs';
import { sudoCommand } from './root.mjs';
import { SetupProblem } from './steps.mjs';

const ENTERED = 'SETUP_IN_DOCKER_GROUP';
const KEPT =
  /^(PATH|HOME|CI|TERM|DISPLAY|LEAN_TOOLCHAIN_DIR|SETUP_IN_DOCKER_GROUP|(HOTHOUSE|XDG|NODE|NPM|PIP|SSL)_.*|(HTTPS?|NO)_PROXY)$/i;

/**
 * Runs this command again as a member of the `docker` group, and exits with its status: with `sg` if the user is a member
 * who logged in before joining, otherwise with sudo.
 */
export async function reenterWithDockerGroup(problem) {
  const { username } = userInfo();
  const advice = `sudo usermod -aG docker ${username}`;
  const command = process.env[ENTERED] ? null : await groupCommand(username);
  if (!command) throw new SetupProblem(problem.message, `${advice}, and log in again`);
  console.log(`       ${username} cannot access Docker yet. To change that: ${advice}, and log in again.`);
  const [program, ...args] = command;
  const env = { ...process.env, [ENTERED]: '1' };
  // The child gets the same Ctrl+C and decides the exit status.
  process.on('SIGINT', () => {});
  process.exit(spawnSync(program, args, { stdio: 'inherit', env }).status ?? 1);
}

/** Whether this process is that second run. */
export function hasReentered() {
  return Boolean(process.env[ENTERED]);
}

async function groupCommand(username) {
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  if (await isInDockerGroup(username)) return ['sg', 'docker', '-c', self.map(quoted).join(' ')];
  const sudo = await sudoCommand();
  return sudo && [...sudo, '-u', username, '-g', 'docker', 'env', ...keptVariables(), ...self];
}

/** Whether the group `docker` has this user, also when the login is older. */
export async function isInDockerGroup(username = userInfo().username) {
  const members = (await ask('getent', ['group', 'docker']))?.trim().split(':')[3]?.split(',') ?? [];
  return members.includes(username);
}

/** The environment variables that setup reads, which sudo would remove. */
function keptVariables() {
  const kept = Object.entries({ ...process.env, [ENTERED]: '1' });
  return kept.filter(([name]) => KEPT.test(name)).map(([name, value]) => `${name}=${value}`);
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
