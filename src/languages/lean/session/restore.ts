import type { Clock } from '../../../base/clock.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { SegmentedDocument } from '../check/segmentedDocument.ts';
import { LeanWorker } from '../worker/worker.ts';
import { type SessionText, segmentsOf } from './cells.ts';
import { sleep } from './cpuActivity.ts';
import { endLean } from './endLean.ts';

/** For all cells of a session, and a header as large as any. */
const REPLAY_MS = 180_000;

/** What a session is restored in. */
export interface RestoreDeps {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Aborts when the session is over. */
  readonly signal: AbortSignal;
}

/** The session's document as it was, or why there is none any more. */
export type Restored =
  | { readonly kind: 'restored'; readonly document: SegmentedDocument }
  | { readonly kind: 'failed'; readonly reason: string };

/** The document of a worker with the text's header, which nobody else uses. */
export function documentOf(worker: LeanWorker, text: SessionText): SegmentedDocument {
  const segments = segmentsOf(text);
  return new SegmentedDocument(worker, worker.take(worker.header, segments.slice(1).join('')).document, segments);
}

/** Starts the document's worker anew on what the session has accepted; where that does not do, the whole server. */
export async function reopen(deps: RestoreDeps, document: SegmentedDocument, text: SessionText): Promise<Restored> {
  document.reopen(segmentsOf(text));
  const replayed = await replay(deps, document);
  return replayed.kind === 'restored' || deps.signal.aborted ? replayed : restart(deps, document.worker, text);
}

/** Ends the server, and starts another one in the same sandbox on what the session has accepted. Never rejects. */
export async function restart(deps: RestoreDeps, worker: LeanWorker | null, text: SessionText): Promise<Restored> {
  try {
    if (worker) await endLean(deps.sandbox, worker);
    const next = await LeanWorker.start(deps.sandbox, text.header.text);
    await next.look();
    const replayed = await replay(deps, documentOf(next, text));
    if (replayed.kind === 'failed') next.server.kill();
    return replayed;
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Waits for all that the document has. */
async function replay({ clock, signal }: RestoreDeps, document: SegmentedDocument): Promise<Restored> {
  const waited = new AbortController();
  const late = sleep(clock, REPLAY_MS, AbortSignal.any([signal, waited.signal]));
  const settled = await Promise.race([document.settled(signal), late.then(() => null)]);
  waited.abort();
  if (settled?.kind === 'settled') return { kind: 'restored', document };
  return { kind: 'failed', reason: `its cells could not be replayed (${settled?.kind ?? 'they did not end'})` };
}
