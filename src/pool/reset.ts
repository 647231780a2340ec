import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { messageOf } from '../base/log.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Wipes a sandbox and checks it: null when nothing is left, otherwise why it must be destroyed. Never rejects. */
export async function resetFailure(sandbox: Sandbox, deadlineMs: number, clock: Clock): Promise<string | null> {
  const late = deferred<string>();
  const timer = clock.schedule(deadlineMs, () => late.resolve(`its reset took over ${deadlineMs} ms`));
  try {
    return await Promise.race([late.promise, verdict(sandbox, deadlineMs)]);
  } catch (error) {
    return `its reset failed: ${messageOf(error)}`;
  } finally {
    timer.dispose();
  }
}

async function verdict(sandbox: Sandbox, deadlineMs: number): Promise<string | null> {
  const { clean, leftovers } = await sandbox.reset(deadlineMs);
  return clean && leftovers.length === 0 ? null : `its reset left ${leftovers.join(', ') || 'something'}`;
}
