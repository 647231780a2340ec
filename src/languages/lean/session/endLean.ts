import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { LeanWorker } from '../worker/worker.ts';
import { shell } from './shell.ts';

/** Current servers start their workers in sessions of their own, where a signal to the server's group does not reach them. */
const KILL_EVERY_LEAN =
  'cd /proc; for p in [0-9]*; do read -r name < $p/comm && [ "$name" = lean ] && kill -9 $p; done 2>/dev/null; :';

/** Ends the server with all of its workers, also those that do not listen. Never rejects. */
export async function endLean(sandbox: Sandbox, worker: LeanWorker | null): Promise<void> {
  worker?.server.kill();
  await shell(sandbox, KILL_EVERY_LEAN);
}
