import { setTimeout as sleep } from 'node:timers/promises';
import { hasReentered } from './dockerGroup.mjs';
import { isInteractive } from './root.mjs';

const SECONDS = 5;
const PLAN_ONLY = '--plan';

/**
 * One planned change of the machine: `what` names the thing and the place, `mb` its approximate disk space.
 *
 * @typedef {{ verb: 'install' | 'download' | 'build' | 'start', what: string, mb?: number }} PlannedStep
 */

/**
 * Prints the plan, and on a terminal waits a few seconds for Ctrl+C; prints nothing if there is nothing to do. With `--plan`
 * on the command line it then exits. The functions in `plans` change nothing.
 *
 * @param {readonly (() => Promise<readonly PlannedStep[]>)[]} plans
 */
export async function announce(plans, { print = console.log, wait = sleep, interactive = isInteractive() } = {}) {
  // The first run has already printed the plan.
  if (hasReentered()) return;
  const lines = (await Promise.all(plans.map((plan) => plan()))).flat().map(line);
  const planOnly = process.argv.includes(PLAN_ONLY);
  // Two plans may contain the same step.
  if (lines.length > 0)
    print(`Hothouse will make these changes to this machine:\n\n${[...new Set(lines)].join('\n')}\n`);
  else if (planOnly) print('There is nothing to install, build or start.');
  if (planOnly) process.exit(0);
  if (lines.length === 0 || !interactive) return;
  print(`It starts in ${SECONDS} seconds. Press Ctrl+C to cancel.\n`);
  await wait(SECONDS * 1000);
}

function line({ verb, what, mb }) {
  return `   ${verb.padEnd(8)} ${what}${mb === undefined ? '' : `, about ${mb} MB`}`;
}
