import type { Clock } from '../../../base/clock.ts';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { shell } from './shell.ts';

/** What is left to Lean to end by itself, and how long is then looked at, in ms. */
const GRACE_MS = 300;
const LOOK_MS = 300;
const LOOKS = 4;
/** A thread that used more than this part of the time looked at goes on. */
const BUSY = 0.5;
/** Less than this is none, unless a thread waits for a CPU: on a crowded machine one that goes on may get hardly any. */
const IDLE = 0.05;

/** Prints a line for each thread of Lean that has a CPU or waits for one. */
const RUNNABLE =
  'for f in /proc/[0-9]*/task/*/stat; do { read -r stat < $f; } 2>/dev/null; case $stat in *"(lean) R "*) echo R;; esac; done';

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = deferred<void>();
  const timer = clock.schedule(ms, () => over.resolve());
  const wake = () => over.resolve();
  signal.addEventListener('abort', wake, { once: true });
  await over.promise;
  timer.dispose();
  signal.removeEventListener('abort', wake);
}

/** Whether something in the sandbox goes on using its CPU, once it had time to end. Rejects when the sandbox is gone. */
export async function isBusy(sandbox: Sandbox, clock: Clock, signal: AbortSignal): Promise<boolean> {
  await sleep(clock, GRACE_MS, signal);
  let before = await sandbox.measure();
  for (let look = 0; look < LOOKS; look += 1) {
    await sleep(clock, LOOK_MS, signal);
    const after = await sandbox.measure();
    const used = (after.cpuMs - before.cpuMs) / LOOK_MS;
    if (used > BUSY) return true;
    if (used < IDLE && !(await shell(sandbox, RUNNABLE))) return false;
    before = after;
  }
  return true;
}
