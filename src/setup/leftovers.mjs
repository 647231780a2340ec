import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './commands.mjs';
import { dockerCommand } from './dockerCli.mjs';
import { SetupProblem } from './steps.mjs';

/** A sandbox without an engine exits within this time. */
const GRACE_SECONDS = 45;

/** Ids of all containers of Hothouse, running or not, and names of their volumes. */
export async function listLeftovers() {
  const containers = ['ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=dev.hothouse.managed'];
  // Volumes that are kept, such as caches, have no owner.
  const volumes = ['volume', 'ls', '--quiet', '--filter', 'label=dev.hothouse.owner'];
  return { containers: await list(containers), volumes: await list(volumes) };
}

/** Rejects if containers of Hothouse or volumes of theirs remain that are not in `before`. */
export async function requireNoNewLeftovers(before) {
  for (let second = 0; ; second++) {
    const now = await listLeftovers();
    const containers = now.containers.filter((id) => !before.containers.includes(id));
    const volumes = now.volumes.filter((name) => !before.volumes.includes(name));
    if (containers.length + volumes.length === 0) return;
    if (second >= GRACE_SECONDS) throw remaining(containers, volumes);
    await sleep(1000);
  }
}

function remaining(containers, volumes) {
  const commands = [
    ...(containers.length > 0 ? [`docker rm -f -v ${containers.join(' ')}`] : []),
    ...(volumes.length > 0 ? [`docker volume rm -f ${volumes.join(' ')}`] : []),
  ];
  return new SetupProblem(`${containers.length} containers and ${volumes.length} volumes remain.`, commands.join('; '));
}

async function list(args) {
  return ((await ask(await dockerCommand(), args)) ?? '').split('\n').filter(Boolean);
}
