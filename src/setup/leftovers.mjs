import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './commands.mjs';
import { dockerCommand } from './dockerCli.mjs';
import { SetupProblem } from './steps.mjs';

/** A sandbox without an engine exits within this time. */
const GRACE_SECONDS = 45;

/** Ids of all containers of Hothouse, running or not, names of their volumes, and paths of temporary files. */
export async function listLeftovers() {
  const containers = ['ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=dev.hothouse.managed'];
  // Volumes that are kept, such as caches, have no owner.
  const volumes = ['volume', 'ls', '--quiet', '--filter', 'label=dev.hothouse.owner'];
  const files = (await readdir(tmpdir())).filter((name) => name.startsWith('hothouse-'));
  return {
    containers: await list(containers),
    volumes: await list(volumes),
    files: files.map((name) => join(tmpdir(), name)),
  };
}

/** Rejects if something of Hothouse remains that is not in `before`. */
export async function requireNoNewLeftovers(before) {
  for (let second = 0; ; second++) {
    const now = await listLeftovers();
    const fresh = (kind) => now[kind].filter((one) => !before[kind].includes(one));
    const left = { containers: fresh('containers'), volumes: fresh('volumes'), files: fresh('files') };
    if (Object.values(left).every(({ length }) => length === 0)) return;
    if (second >= GRACE_SECONDS) throw remaining(left);
    await sleep(1000);
  }
}

/** How each kind is removed. */
const REMOVAL = { containers: 'docker rm -f -v', volumes: 'docker volume rm -f', files: 'rm -rf' };

function remaining(left) {
  const kinds = Object.keys(REMOVAL).filter((kind) => left[kind].length > 0);
  const counts = kinds.map((kind) => `${left[kind].length} ${kind}`).join(' and ');
  return new SetupProblem(
    `${counts} remain.`,
    kinds.map((kind) => `${REMOVAL[kind]} ${left[kind].join(' ')}`).join('; '),
  );
}

async function list(args) {
  return ((await ask(await dockerCommand(), args)) ?? '').split('\n').filter(Boolean);
}
