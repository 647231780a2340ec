import { randomBytes } from 'node:crypto';
import type { ChannelEnd, Sandbox } from '../../../sandbox/sandbox.ts';
import { putFile } from '../../../sandbox/sandbox.ts';
import type { CellOutput } from '../../language.ts';
import { TextStream } from '../../textStream.ts';
import { exitIn } from '../text/exit.ts';
import { programStart } from '../worker/leanProcess.ts';

/** A program to run. */
export interface Program {
  /** The whole text of its file, checked before. */
  readonly text: string;
  /** All of its stdin. */
  readonly stdin: string;
  /** Bytes that Lean has to say of the text, at most. */
  readonly saidBytes: number;
  /** Bytes of its stdout that are passed on. */
  readonly limit: number;
}

/** A program that runs. */
export interface RunningProgram {
  readonly ended: Promise<ProgramExit>;
  kill(): void;
}

/** How a program's process ended. */
export interface ProgramExit {
  readonly end: ChannelEnd;
  /** Bytes that were not the program's own, but Lean's on the text. */
  readonly saidBytes: number;
}

/** For the mark, and what Lean says of it. */
const SLACK_BYTES = 64 * 1024;

/**
 * Runs a program by `lean --run`, its output live. Lean prints what it has to say of the text before it runs it, which
 * the caller knows from the check; a mark at the text's end tells where the program's own output begins. Rejects when
 * the file cannot be written.
 */
export async function runProgram(
  sandbox: Sandbox,
  { text, stdin, saidBytes, limit }: Program,
  onOutput: (output: CellOutput) => void,
): Promise<RunningProgram> {
  const mark = randomBytes(16).toString('hex');
  const path = `/tmp/${mark.slice(0, 8)}.lean`;
  await putFile(sandbox, path, `${text.slice(0, exitIn(text)?.start)}\n#print "${mark}"\n`);
  const behind = new BehindMark(mark);
  const streams = { stdout: new TextStream(), stderr: new TextStream() };
  const pass = (kind: 'stdout' | 'stderr', text: string) => {
    if (text) onOutput({ kind, text });
  };
  const channel = sandbox.start(programStart(path, saidBytes + SLACK_BYTES + limit), {
    onStdout: (bytes) => pass('stdout', behind.push(streams.stdout.push(bytes))),
    onStderr: (bytes) => pass('stderr', streams.stderr.push(bytes)),
  });
  if (stdin) channel.write(Buffer.from(stdin));
  channel.closeInput();
  const ended = channel.ended.then((end) => {
    pass('stdout', behind.push(streams.stdout.end()) + behind.end());
    pass('stderr', streams.stderr.end());
    return { end, saidBytes: behind.bytesBefore };
  });
  return { ended, kill: () => void channel.signal('SIGKILL') };
}

/** Holds a text back until the line that the mark is in has ended; without the mark nothing is the program's own. */
class BehindMark {
  readonly #mark: string;
  readonly #held: string[] = [];
  /** The end of what is held, in which the mark may have begun. */
  #tail = '';
  #state: 'before' | 'inLine' | 'behind' = 'before';
  /** Bytes up to the end of the mark's line; meaningless before that. */
  #bytes = 0;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Bytes up to the end of the mark's line; 0 where it has not come. */
  get bytesBefore(): number {
    return this.#state === 'behind' ? this.#bytes : 0;
  }

  /** What of the text is the program's own. */
  push(text: string): string {
    if (this.#state === 'behind') return text;
    const from = this.#behindMark(text);
    const lineEnd = from === null ? -1 : text.indexOf('\n', from);
    if (lineEnd < 0) {
      this.#hold(text);
      return '';
    }
    this.#state = 'behind';
    this.#bytes += Buffer.byteLength(text.slice(0, lineEnd + 1));
    this.#held.length = 0;
    return text.slice(lineEnd + 1);
  }

  /** What was held back, when Lean never came to the mark: then it is all there is to see. */
  end(): string {
    return this.#held.splice(0).join('');
  }

  /** Where in the text to look for the end of the mark's line; null when the mark has not come. */
  #behindMark(text: string): number | null {
    if (this.#state === 'inLine') return 0;
    const found = (this.#tail + text).indexOf(this.#mark);
    if (found < 0) return null;
    this.#state = 'inLine';
    return Math.max(0, found + this.#mark.length - this.#tail.length);
  }

  #hold(text: string): void {
    this.#held.push(text);
    this.#bytes += Buffer.byteLength(text);
    this.#tail = (this.#tail + text).slice(1 - this.#mark.length);
  }
}
