import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { messageOf } from '../base/log.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Work that a sandbox still does after a reset before it serves again; null when there is none. Rejects when it fails. */
export type Prepare = (sandbox: Sandbox) => Promise<void> | null;

/** How a sandbox is made ready for its next lease. */
export interface Recycling {
  readonly deadlineMs: number;
  readonly prepare: Prepare;
  readonly clock: Clock;
}

/** Resets and prepares a sandbox. Resolves with null when it can serve again, otherwise with the reason. Never rejects. */
export async function recycleFailure(sandbox: Sandbox, recycling: Recycling): Promise<string | null> {
  const failure = await resetFailure(sandbox, recycling);
  const preparing = failure === null ? recycling.prepare(sandbox) : null;
  if (preparing === null) return failure;
  return preparing.then(
    () => null,
    (error: unknown) => `it did not get ready again: ${messageOf(error)}`,
  );
}

async function resetFailure(sandbox: Sandbox, { deadlineMs, clock }: Recycling): Promise<string | null> {
  const late = deferred<string>();
  const timer = clock.schedule(deadlineMs, () => late.resolve(`its reset took over ${deadlineMs} ms`));
  try {
    return await Promise.race([late.promise, reset(sandbox, deadlineMs)]);
  } catch (error) {
    return `its reset failed: ${messageOf(error)}`;
  } finally {
    timer.dispose();
  }
}

async function reset(sandbox: Sandbox, deadlineMs: number): Promise<string | null> {
  const { clean, leftovers } = await sandbox.reset(deadlineMs);
  return clean && leftovers.length === 0 ? null : `its reset left ${leftovers.join(', ') || 'something'}`;
}
