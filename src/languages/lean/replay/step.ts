import type { Start } from '../../../protocol/messages.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd, lossEnd, violentEnd } from '../../exit.ts';
import type { CellEnd } from '../../language.ts';

/** A program that has ended. */
export interface Step {
  readonly end: Awaited<ReturnType<Sandbox['start']>['ended']>;
  /** Exit status; null when a signal or the loss of the sandbox ended it. */
  readonly code: number | null;
  /** What it printed, the end of it. */
  readonly text: string;
}

/** UTF-16 units of what a program prints that are kept. */
const TEXT_LENGTH = 8_000;

/** Runs a program in a sandbox without input. */
export async function runStep(sandbox: Sandbox, start: Start): Promise<Step> {
  let text = '';
  const keep = (bytes: Uint8Array) => {
    text = (text + Buffer.from(bytes).toString()).slice(-TEXT_LENGTH);
  };
  const channel = sandbox.start(start, { onStdout: keep, onStderr: keep });
  channel.closeInput();
  const end = await channel.ended;
  return { end, code: end.kind === 'exit' ? end.exit.code : null, text: text.trim() };
}

/** The end of a step that did not end by itself; null when it did. */
export function endOfStep({ end }: Step): CellEnd | null {
  if (end.kind === 'lost') return cellEnd({ ...lossEnd(end.loss), alive: false });
  const violent = violentEnd(end.exit, false);
  return violent && cellEnd({ ...violent, alive: false });
}
