import type { Terminal } from './terminal.ts';

/** A request to stop the process. */
export interface Stop {
  readonly signal: AbortSignal;
  /** The exit status after SIGTERM or SIGHUP, which overrides the command's; otherwise null. */
  status(): number | null;
}

/**
 * Aborts at SIGINT, SIGTERM and SIGHUP, and when the reader of stdout is gone. A second SIGINT exits at once: sandboxes
 * without an engine remove themselves.
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
  // Without a reader of stderr there is no place to report the error.
  stderr.on('error', () => {});
  return { signal: controller.signal, status: () => status };
}
