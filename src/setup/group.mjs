import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { SetupProblem } from './problem.mjs';
import { sudoWords } from './root.mjs';
import { ask } from './run.mjs';

const ENTERED = 'SETUP_IN_DOCKER_GROUP';
const KEPT =
  /^(PATH|HOME|CI|TERM|DISPLAY|LEAN_TOOLCHAIN_DIR|SETUP_IN_DOCKER_GROUP|(HOTHOUSE|XDG|NODE|NPM|PIP|SSL)_.*|(HTTPS?|NO)_PROXY)$/i;

/**
 * Runs this command again as a member of the group that may speak with Docker, and ends with its exit status: with `sg`
 * where the user is a member whose login is older than the membership, otherwise with sudo's right to choose a group.
 */
export async function reenterWithDockerGroup(problem) {
  const { username } = userInfo();
  const advice = `sudo usermod -aG docker ${username}`;
  const command = process.env[ENTERED] ? null : await groupCommand(username);
  if (!command) throw new SetupProblem(problem.message, `${advice}, and log in again`);
  console.log(`       Docker is not open to ${username} yet. For good: ${advice}, and log in again.`);
  const [program, ...args] = command;
  const env = { ...process.env, [ENTERED]: '1' };
  // It ends by the same Ctrl+C, and has the last word.
  process.on('SIGINT', () => {});
  process.exit(spawnSync(program, args, { stdio: 'inherit', env }).status ?? 1);
}

/** Whether this is that second run. */
export function hasReentered() {
  return Boolean(process.env[ENTERED]);
}

async function groupCommand(username) {
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const members = (await ask('getent', ['group', 'docker']))?.trim().split(':')[3]?.split(',') ?? [];
  if (members.includes(username)) return ['sg', 'docker', '-c', self.map(quoted).join(' ')];
  const sudo = await sudoWords();
  return sudo && [...sudo, '-u', username, '-g', 'docker', 'env', ...keptVariables(), ...self];
}

/** sudo empties the environment; these decide what set-up does. */
function keptVariables() {
  const kept = Object.entries({ ...process.env, [ENTERED]: '1' });
  return kept.filter(([name]) => KEPT.test(name)).map(([name, value]) => `${name}=${value}`);
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
