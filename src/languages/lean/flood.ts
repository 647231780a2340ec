import type { Disposable } from '../../base/disposable.ts';
import type { LeanDocument } from './lsp/document.ts';

/** MiB that Lean may say of a document, and of one piece of code again and again; less than a message may have. */
const MOST_MIB = 48;

/** How a flood is told, behind `Lean`. */
export const FLOOD = `had more than ${MOST_MIB} MiB to say, or more than 8 MiB in one message, and was stopped`;

/** Aborts `signal` once Lean says more of the document than can be taken; what it has said before does not count twice. */
export function watchForFlood(document: LeanDocument): Disposable & { readonly signal: AbortSignal } {
  const most = MOST_MIB * 1024 * 1024;
  const before = document.diagnosticBytes;
  const flood = new AbortController();
  let said = 0;
  const watching = document.onDiagnostics(({ isIncremental, size: { bytes, cut } }) => {
    said += Math.max(0, isIncremental ? bytes : bytes - before);
    if (cut || said > most || document.diagnosticBytes > most) flood.abort();
  });
  return { signal: flood.signal, dispose: () => watching.dispose() };
}
