import type { CancellationToken } from 'vscode';

/** Converts VS Code's cancellation token to an abort signal. */
export function abortSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
