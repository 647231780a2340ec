import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { BackgroundExecution } from './execution.ts';

/** The shortest time between two events: a client that prints fast costs few of them. */
const EVENT_MS = 50;
/** The longest: a comment shows that the connection is alive. */
const KEEP_ALIVE_MS = 15_000;

export const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Sends an execution's state as events until its result or until the client has gone; the execution runs on. Each event
 * has the lines since the one before. Its id counts lines, so that a client can return with `Last-Event-ID`.
 */
export async function streamEvents(response: ServerResponse, execution: BackgroundExecution, from = 0): Promise<void> {
  let [sent, lastStatus] = [from, ''];
  for (;;) {
    const progress = execution.progress(sent);
    if (progress.logs.length > 0 || progress.status !== lastStatus) {
      sent += progress.logs.length;
      lastStatus = progress.status;
      await write(response, `id: ${sent}\ndata: ${JSON.stringify(progress)}\n\n`);
    }
    if (response.destroyed || progress.status !== 'running') break;
    await delay(EVENT_MS);
    await waitForMore(response, execution, sent);
  }
  response.end();
}

/** Sends one event of a stream that has no others. */
export function singleEvent(response: ServerResponse, data: object): void {
  response.end(`data: ${JSON.stringify(data)}\n\n`);
}

/** Waits for a change, with signs of life, or for the end of the connection. */
async function waitForMore(response: ServerResponse, execution: BackgroundExecution, sent: number): Promise<void> {
  while (!response.destroyed && execution.answer === null && execution.lineCount <= sent) {
    const change = changeOf(response, execution);
    if (!(await change)) await write(response, ': keepalive\n\n');
  }
}

/** Resolves with true after a change or when the connection has closed, and with false when nothing happens for long. */
function changeOf(response: ServerResponse, execution: BackgroundExecution): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isChange: boolean) => {
      clearTimeout(timer);
      subscription.dispose();
      response.off('close', onClose);
      resolve(isChange);
    };
    const onClose = () => settle(true);
    const timer = setTimeout(() => settle(false), KEEP_ALIVE_MS);
    const subscription = execution.onDidChange(() => settle(true));
    response.once('close', onClose);
  });
}

/** Waits until the client has read enough for more, or has gone. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.once('drain', settle).once('close', settle);
  });
}
