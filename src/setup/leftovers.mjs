import { setTimeout as sleep } from 'node:timers/promises';
import { engineCommand } from './doctor.mjs';
import { SetupProblem } from './problem.mjs';
import { ask } from './run.mjs';

/** A sandbox whose engine was killed leaves by itself within this time. */
const GRACE_SECONDS = 45;

/** Ids of the containers of ours that the engine has, running or not. */
export async function ourContainers() {
  const list = ['ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=dev.hothouse.managed'];
  return ((await ask(await engineCommand(), list)) ?? '').split('\n').filter(Boolean);
}

/** Rejects when containers of ours are still there that were not there `before`. */
export async function requireNoneLeft(before) {
  for (let second = 0; ; second++) {
    const left = (await ourContainers()).filter((id) => !before.includes(id));
    if (left.length === 0) return;
    if (second >= GRACE_SECONDS) {
      throw new SetupProblem(`${left.length} containers were left behind.`, `docker rm -f ${left.join(' ')}`);
    }
    await sleep(1000);
  }
}
