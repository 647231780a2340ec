import type { Readable, Writable } from 'node:stream';
import { escapedJson } from '../base/json.ts';
import { type Log, plainText } from '../base/log.ts';
import type { EngineProblem } from '../engine/types.ts';

/** The streams of a command line. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Writes a program's output; to a screen without control sequences, elsewhere as it is. */
export function writeOutput(stream: Terminal['stdout'], text: string): void {
  stream.write(stream.isTTY ? plainText(text) : text);
}

/** Writes a line of ours to stderr. */
export function say({ stderr }: Terminal, message: string): void {
  stderr.write(`hothouse: ${plainText(message)}\n`);
}

/** A value as JSON and a newline, for a file or a screen. */
export function jsonLine(value: unknown, indent = 0): string {
  return `${escapedJson(value, indent)}\n`;
}

/** A problem as lines to read: cause, next step, command. */
export function problemText({ message, advice, command }: EngineProblem): string {
  return [message, advice, command && `  ${command}`].filter(Boolean).join('\n');
}

/** Everything of a stream as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** Resolves when what was written has left, or can never leave. */
export function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A log on stderr: warnings and errors, with `verbose` everything. */
export function terminalLog(terminal: Terminal, verbose: boolean): Log {
  const write = (message: string) => say(terminal, message);
  const details = verbose ? write : () => {};
  return { debug: details, info: details, warn: write, error: write };
}
