import type { Clock } from '../../../base/clock.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { SegmentedDocument } from '../check/segmentedDocument.ts';
import { killEveryLean } from '../worker/leanProcess.ts';
import { LeanWorker } from '../worker/worker.ts';
import { type SessionText, segmentsOf } from './cells.ts';
import { sleep } from './cpuActivity.ts';

/** Time for all cells of a session and a header of any size. */
const REPLAY_MS = 180_000;

export interface RestoreDeps {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/** The session's document with everything that was accepted, or why it could not be restored. */
export type Restored =
  | { readonly kind: 'restored'; readonly document: SegmentedDocument }
  | { readonly kind: 'failed'; readonly reason: string };

/** The document of a worker that has the text's header and no other user. */
export function documentOf(worker: LeanWorker, text: SessionText): SegmentedDocument {
  const segments = segmentsOf(text);
  return new SegmentedDocument(worker, worker.take(worker.header, segments.slice(1).join('')).document, segments);
}

/** Restarts Lean's process for the document with the accepted text; restarts the server when that fails. */
export async function reopen(deps: RestoreDeps, document: SegmentedDocument, text: SessionText): Promise<Restored> {
  document.reopen(segmentsOf(text));
  const replayed = await replay(deps, document);
  return replayed.kind === 'restored' || deps.signal.aborted ? replayed : restart(deps, document.worker, text);
}

/** Ends the server and starts another one in the same sandbox with the accepted text. Never rejects. */
export async function restart(deps: RestoreDeps, worker: LeanWorker | null, text: SessionText): Promise<Restored> {
  try {
    if (worker) {
      worker.server.kill();
      await killEveryLean(deps.sandbox);
    }
    const next = await LeanWorker.start(deps.sandbox, text.header.text);
    await next.look();
    const replayed = await replay(deps, documentOf(next, text));
    if (replayed.kind === 'failed') next.server.kill();
    return replayed;
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Waits until Lean has checked the whole document. */
async function replay({ clock, signal }: RestoreDeps, document: SegmentedDocument): Promise<Restored> {
  const waited = new AbortController();
  const late = sleep(clock, REPLAY_MS, AbortSignal.any([signal, waited.signal]));
  const settled = await Promise.race([document.settled(signal), late.then(() => null)]);
  waited.abort();
  if (settled?.kind === 'settled') return { kind: 'restored', document };
  return { kind: 'failed', reason: `its cells could not be replayed (${settled?.kind ?? 'they did not end'})` };
}
