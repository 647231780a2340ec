import { randomBytes } from 'node:crypto';
import { putFile } from '../../../sandbox/putFile.ts';
import type { ChannelEnd, Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellOutput } from '../../language.ts';
import { TextStream } from '../../textStream.ts';
import { leanStart } from './leanProcess.ts';

/** A program to run: the whole text of its file, checked before, and all of its stdin. */
export interface Program {
  readonly text: string;
  readonly stdin: string;
}

/** A program that runs. */
export interface RunningProgram {
  readonly ended: Promise<ChannelEnd>;
  kill(): void;
}

/**
 * Runs a program by `lean --run`, its output live. Lean prints what it has to say of the text before it runs it, which
 * the caller knows from the check; a mark at the text's end tells where the program's own output begins. Rejects when
 * the file cannot be written.
 */
export async function runProgram(
  sandbox: Sandbox,
  { text, stdin }: Program,
  onOutput: (output: CellOutput) => void,
): Promise<RunningProgram> {
  const mark = randomBytes(16).toString('hex');
  const path = `/tmp/${mark.slice(0, 8)}.lean`;
  await putFile(sandbox, path, `${text}\n#print "${mark}"\n`);
  const behind = new BehindMark(mark);
  const streams = { stdout: new TextStream(), stderr: new TextStream() };
  const pass = (kind: 'stdout' | 'stderr', text: string) => {
    if (text) onOutput({ kind, text });
  };
  const channel = sandbox.start(leanStart(['--run', path]), {
    onStdout: (bytes) => pass('stdout', behind.push(streams.stdout.push(bytes))),
    onStderr: (bytes) => pass('stderr', streams.stderr.push(bytes)),
    onEvent: () => {},
  });
  if (stdin) channel.write(Buffer.from(stdin));
  channel.closeInput();
  const ended = channel.ended.then((end) => {
    pass('stdout', behind.push(streams.stdout.end()) + behind.end());
    pass('stderr', streams.stderr.end());
    return end;
  });
  return { ended, kill: () => void channel.signal('SIGKILL') };
}

/** Holds a text back until the line that the mark is in has ended; without the mark nothing is the program's own. */
class BehindMark {
  readonly #mark: string;
  #held: string | null = '';

  constructor(mark: string) {
    this.#mark = mark;
  }

  push(text: string): string {
    if (this.#held === null) return text;
    this.#held += text;
    const found = this.#held.indexOf(this.#mark);
    const lineEnd = found < 0 ? -1 : this.#held.indexOf('\n', found);
    if (lineEnd < 0) return '';
    const rest = this.#held.slice(lineEnd + 1);
    this.#held = null;
    return rest;
  }

  /** What was held back, when Lean never came to the mark: then it is all there is to see. */
  end(): string {
    const rest = this.#held ?? '';
    this.#held = null;
    return rest;
  }
}
