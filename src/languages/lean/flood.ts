import type { Disposable } from '../../base/disposable.ts';
import type { LeanDocument } from './lsp/document.ts';
import type { LeanServer } from './lsp/server.ts';

/** Aborts `signal` once the server has sent more than `most` bytes from now on, as it speaks of the document. */
export function watchForFlood(
  server: LeanServer,
  document: LeanDocument,
  most: number,
): Disposable & { readonly signal: AbortSignal } {
  const limit = server.receivedBytes + most;
  const flood = new AbortController();
  const watching = document.onDiagnostics(() => {
    if (server.receivedBytes > limit) flood.abort();
  });
  return { signal: flood.signal, dispose: () => watching.dispose() };
}
