import type { CancellationToken } from 'vscode';

/** The editor's way to cancel as the engine's. */
export function abortSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
