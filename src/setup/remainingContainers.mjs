import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './commands.mjs';
import { dockerCommand } from './dockerCli.mjs';
import { SetupProblem } from './steps.mjs';

/** A sandbox without an engine exits within this time. */
const GRACE_SECONDS = 45;

/** Ids of all containers of Hothouse, running or not. */
export async function listContainers() {
  const list = ['ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=dev.hothouse.managed'];
  return ((await ask(await dockerCommand(), list)) ?? '').split('\n').filter(Boolean);
}

/** Rejects if containers of Hothouse remain that are not in `before`. */
export async function requireNoNewContainers(before) {
  for (let second = 0; ; second++) {
    const left = (await listContainers()).filter((id) => !before.includes(id));
    if (left.length === 0) return;
    if (second >= GRACE_SECONDS) {
      throw new SetupProblem(`${left.length} containers remain.`, `docker rm -f ${left.join(' ')}`);
    }
    await sleep(1000);
  }
}
