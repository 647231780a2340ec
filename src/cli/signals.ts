import type { Terminal } from './terminal.ts';

/** How the process was asked to stop. */
export interface Stop {
  readonly signal: AbortSignal;
  /** The exit status that a signal asks for, whatever the command says; null when none came or SIGINT did. */
  status(): number | null;
}

/**
 * Aborts at SIGINT, SIGTERM and SIGHUP, and when stdout's reader has gone. A second SIGINT quits at once: sandboxes
 * whose engine has gone remove themselves.
 */
export function stopOnSignals({ stdout, stderr }: Terminal): Stop {
  const controller = new AbortController();
  let status: number | null = null;
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  });
  for (const [name, number] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(name, () => {
      status = number;
      controller.abort();
    });
  }
  stdout.on('error', () => controller.abort());
  // Nobody reads our messages; there is nobody to tell.
  stderr.on('error', () => {});
  return { signal: controller.signal, status: () => status };
}
