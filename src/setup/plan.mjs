import { setTimeout as sleep } from 'node:timers/promises';
import { hasReentered } from './group.mjs';
import { isInteractive } from './root.mjs';

const SECONDS = 5;
const PLAN_ONLY = '--plan';

/**
 * One thing that set-up is going to do to the machine: `what` says to what and where, `mb` roughly what it takes on the
 * disk.
 *
 * @typedef {{ verb: 'install' | 'download' | 'build' | 'start', what: string, mb?: number }} PlannedStep
 */

/**
 * Shows what is going to be done, and on a terminal waits a few seconds for Ctrl+C; where nothing is to be done it says
 * nothing. With `--plan` on the command line it ends the program after that. Each of `plans` looks at the machine and
 * changes nothing.
 *
 * @param {readonly (() => Promise<readonly PlannedStep[]>)[]} plans
 */
export async function announce(plans, { print = console.log, wait = sleep, interactive = isInteractive() } = {}) {
  // As a member of Docker's group this command runs once more, and has shown it before.
  if (hasReentered()) return;
  const lines = (await Promise.all(plans.map((plan) => plan()))).flat().map(line);
  const planOnly = process.argv.includes(PLAN_ONLY);
  // Two steps may need the same first.
  if (lines.length > 0) print(`On this machine Hothouse is going to\n\n${[...new Set(lines)].join('\n')}\n`);
  else if (planOnly) print('There is nothing to install, to build or to start.');
  if (planOnly) process.exit(0);
  if (lines.length === 0 || !interactive) return;
  print(`It begins in ${SECONDS} seconds; Ctrl+C stops it.\n`);
  await wait(SECONDS * 1000);
}

function line({ verb, what, mb }) {
  return `   ${verb.padEnd(8)} ${what}${mb === undefined ? '' : `, about ${mb} MB`}`;
}
