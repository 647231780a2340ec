import { randomBytes } from 'node:crypto';
import { putFile } from '../../../sandbox/files/sandboxFiles.ts';
import type { ChannelEnd, Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellOutput } from '../../language.ts';
import { TextStream } from '../../textStream.ts';
import { exitIn } from '../text/exit.ts';
import { programStart } from '../worker/leanProcess.ts';

/** A program to run. */
export interface Program {
  /** The whole text of its file, which Lean has checked. */
  readonly text: string;
  /** All of its stdin. */
  readonly stdin: string;
  /** The maximum of bytes that Lean prints about the text. */
  readonly leanBytes: number;
  /** The maximum of bytes of its stdout that are passed on. */
  readonly limit: number;
}

/** A running program. */
export interface RunningProgram {
  readonly ended: Promise<ProgramExit>;
  kill(): void;
}

/** How a program's process ended. */
export interface ProgramExit {
  readonly end: ChannelEnd;
  /** Bytes of stdout that Lean printed about the text before the program ran. */
  readonly leanBytes: number;
}

/** Room for the mark and Lean's own message about it. */
const SLACK_BYTES = 64 * 1024;

/**
 * Runs a program by `lean --run`, with live output. Lean first prints its messages about the text, which the caller knows
 * from the check; a mark at the end of the text shows where the program's own output starts. Rejects when the file cannot
 * be written.
 */
export async function runProgram(
  sandbox: Sandbox,
  { text, stdin, leanBytes, limit }: Program,
  onOutput: (output: CellOutput) => void,
): Promise<RunningProgram> {
  const mark = randomBytes(16).toString('hex');
  const path = `/tmp/${mark.slice(0, 8)}.lean`;
  await putFile(sandbox, path, `${text.slice(0, exitIn(text)?.start)}\n#print "${mark}"\n`);
  const own = new AfterMark(mark);
  const streams = { stdout: new TextStream(), stderr: new TextStream() };
  const pass = (kind: 'stdout' | 'stderr', text: string) => {
    if (text) onOutput({ kind, text });
  };
  const channel = sandbox.start(programStart(path, leanBytes + SLACK_BYTES + limit), {
    onStdout: (bytes) => pass('stdout', own.push(streams.stdout.push(bytes))),
    onStderr: (bytes) => pass('stderr', streams.stderr.push(bytes)),
  });
  if (stdin) channel.write(Buffer.from(stdin));
  channel.closeInput();
  const ended = channel.ended.then((end) => {
    pass('stdout', own.push(streams.stdout.end()) + own.end());
    pass('stderr', streams.stderr.end());
    return { end, leanBytes: own.bytesBefore };
  });
  return { ended, kill: () => void channel.signal('SIGKILL') };
}

/** Holds text back up to the end of the mark's line; without the mark nothing is the program's own. */
class AfterMark {
  readonly #mark: string;
  readonly #held: string[] = [];
  /** The end of the held text, where the mark may have started. */
  #tail = '';
  #state: 'before' | 'inLine' | 'after' = 'before';
  /** Bytes up to the end of the mark's line, once that has arrived. */
  #bytes = 0;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Bytes up to the end of the mark's line; 0 without a mark. */
  get bytesBefore(): number {
    return this.#state === 'after' ? this.#bytes : 0;
  }

  /** Takes text and returns the part that is the program's own. */
  push(text: string): string {
    if (this.#state === 'after') return text;
    const from = this.#afterMark(text);
    const lineEnd = from === null ? -1 : text.indexOf('\n', from);
    if (lineEnd < 0) {
      this.#hold(text);
      return '';
    }
    this.#state = 'after';
    this.#bytes += Buffer.byteLength(text.slice(0, lineEnd + 1));
    this.#held.length = 0;
    return text.slice(lineEnd + 1);
  }

  /** The text held back, when Lean never printed the mark: then it is all that there is to show. */
  end(): string {
    return this.#held.splice(0).join('');
  }

  /** The offset in the text from which to search the end of the mark's line; null without a mark. */
  #afterMark(text: string): number | null {
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
