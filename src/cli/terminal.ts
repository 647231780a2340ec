import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { escapedJson } from '../base/json.ts';
import { type Log, plainText } from '../base/log.ts';
import type { EngineProblem } from '../engine/types.ts';

/** The streams of a command line. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Writes a program's output: without control sequences to a terminal, unchanged elsewhere. */
export function writeOutput(stream: Terminal['stdout'], text: string): void {
  stream.write(stream.isTTY ? plainText(text) : text);
}

/** Writes a message of Hothouse to stderr. */
export function say({ stderr }: Terminal, message: string): void {
  stderr.write(`hothouse: ${plainText(message)}\n`);
}

/** Asks a person who sits at the terminal; false where there is none, and for every answer but yes. */
export async function confirm({ stdin, stderr }: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${plainText(question)} [y/N] `, { signal })).trim());
  } finally {
    lines.close();
  }
}

/** A value as one JSON text and a newline; control characters are escaped. */
export function jsonLine(value: unknown, indent = 0): string {
  return `${escapedJson(value, indent)}\n`;
}

/** A problem as lines of text: cause, next step, command. */
export function problemText({ message, advice, command }: EngineProblem): string {
  return [message, advice, command && `  ${command}`].filter(Boolean).join('\n');
}

/** Reads a stream to its end as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** Resolves when everything written is flushed, or can never be. */
export function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A log on stderr: warnings and errors; with `verbose` every level. */
export function terminalLog(terminal: Terminal, verbose: boolean): Log {
  const write = (message: string) => say(terminal, message);
  const details = verbose ? write : () => {};
  return { debug: details, info: details, warn: write, error: write };
}
